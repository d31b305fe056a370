package dev.holdfast.verification.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The network of {@code proxy.mjs}, for clients on the JVM. */
final class CuttingNetwork implements AutoCloseable {

    private final Process proxy;
    private final URI uri;

    /**
     * @param wanted what a request must have in it for its answer to be cut
     * @param cuts of the first answers, as JSON, such as {@code [{"frames":1,"bytes":0}]}
     */
    CuttingNetwork(McpProject project, URI server, String wanted, String cuts) throws IOException {
        proxy = new ProcessBuilder(project.node(), "proxy.mjs", server.toString(), wanted, cuts)
                .directory(project.folder().toFile())
                .redirectErrorStream(true)
                .start();
        BufferedReader said = proxy.inputReader(StandardCharsets.UTF_8);
        String line = said.readLine();
        if (line == null || !line.startsWith("http://")) {
            proxy.destroyForcibly();
            throw new AssertionError("the proxy said: " + line);
        }
        uri = URI.create(line);
    }

    URI uri() {
        return uri;
    }

    @Override
    public void close() {
        proxy.destroyForcibly();
    }
}
