package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.MessageAssembler.End;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tools of an MCP server that is a process of its own, over LangChain4j's client. */
final class McpToolsTest {

    @Test
    @SuppressWarnings("try") // closing the client may be interrupted
    @Tag("wire-tools")
    void the_tools_of_an_mcp_server_run_within_the_turn() throws Exception {
        try (LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
                McpClient client = client()) {
            upstream.script(Scripts::calling);
            List<Tool> tools = McpTools.of(client);
            assertThat(tools).extracting(Tool::name).containsExactly("weather");
            RecordingTurn turn = new RecordingTurn("Where is it warm?");
            AgentResult result = Wire.CHAT.agent(upstream, Toolbox.of(tools)).run(turn);
            assertThat(result).isInstanceOf(AgentResult.Completed.class);
            assertThat(ToolMessages.outputs(turn.message(End.COMPLETED)))
                    .containsExactly("warm in Paris", "The tool failed: no such city");
            assertThat(upstream.requests().get(0).body()).contains("The weather of a city.", "\"city\"");
        }
    }

    private static McpClient client() {
        return DefaultMcpClient.builder()
                .transport(StdioMcpTransport.builder()
                        .command(List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                StdioMcpServer.class.getName()))
                        .build())
                .initializationTimeout(Duration.ofMinutes(2))
                .build();
    }
}
