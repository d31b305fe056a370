package dev.holdfast.examples.mcp;

import dev.holdfast.examples.mcp.documents.DocumentServer;
import java.net.URI;

/** {@code holdfast mcp-documents}: an MCP server over a folder of documents. */
public final class DocumentsMain {

    private static final String USAGE = """
            Usage: ./holdfast mcp-documents FOLDER [--port N] [--data DIR] [--pace MILLIS]

              FOLDER         the documents: text files, such as .md and .txt, at any depth
              --port N       the port on the loopback; 0, the default, is any
              --data DIR     where sessions, streams and tasks are kept; mcp-documents-data if not given
              --pace MILLIS  what each document takes at least when all are indexed, to see a slow tool
            """;

    private DocumentsMain() {}

    public static void main(String[] arguments) {
        Command.run("mcp-documents", USAGE, arguments, given -> listening(DocumentServer.start(given)));
    }

    private static Command.Listening listening(DocumentServer server) {
        return new Command.Listening() {
            @Override
            public URI uri() {
                return URI.create(server.url());
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
