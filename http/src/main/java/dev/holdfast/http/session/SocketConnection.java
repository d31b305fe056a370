package dev.holdfast.http.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.JsonFault;
import dev.holdfast.http.Problem;
import dev.holdfast.http.ProblemTable;
import dev.holdfast.http.WebSocket;
import dev.holdfast.http.WebSocketRest;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * A connection over a WebSocket: commands come up as text, one after the other, and their replies go down between the other messages. While a client takes no
 * replies, no more of its commands are read.
 */
final class SocketConnection implements WebSocketRest {

    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    private final Connection connection;
    private final Commands commands;
    private final WebSocket socket;

    SocketConnection(Connection connection, Commands commands, WebSocket socket) {
        this.connection = connection;
        this.commands = commands;
        this.socket = socket;
    }

    @Override
    public boolean goOn(Runnable wake) throws IOException, InterruptedException {
        boolean more = connection.goOn(wake);
        if (!more && !connection.isLeft()) {
            socket.close(WebSocket.COME_BACK, "come back");
        }
        return more;
    }

    @Override
    public void receive(String text) throws InterruptedException {
        connection.reply(Frames.bytes(reply(text)));
    }

    private ObjectNode reply(String text) {
        ObjectNode command;
        try {
            command = parsed(text);
        } catch (HttpProblem e) {
            return Commands.failed("", e.problem());
        }
        String id = command.get("id") instanceof StringNode given ? shortened(given.stringValue()) : "";
        try {
            return commands.run(connection, command);
        } catch (HttpProblem e) {
            return Commands.failed(id, e.problem());
        } catch (HoldfastException e) {
            Problem problem = ProblemTable.of(e);
            if (problem.status() == 500) {
                LOG.error("A command failed", e);
            }
            return Commands.failed(id, problem);
        } catch (RuntimeException e) {
            LOG.error("A command failed by a defect", e);
            return Commands.failed(id, ProblemTable.DEFECT);
        }
    }

    private static ObjectNode parsed(String text) {
        try {
            if (Json.MAPPER.readTree(text) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw HttpProblem.badRequest(JsonFault.sentence("The command", e));
        }
        throw HttpProblem.badRequest("A command is a JSON object, in braces.");
    }

    private static String shortened(String id) {
        return id.length() > TransportLimits.MAX_COMMAND_ID_CHARS
                ? id.substring(0, TransportLimits.MAX_COMMAND_ID_CHARS)
                : id;
    }

    @Override
    public void close() {
        connection.close();
    }
}
