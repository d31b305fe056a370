package dev.holdfast.bench.mcp;

import io.modelcontextprotocol.modern.server.transport.HttpServletMcpTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import jakarta.servlet.Servlet;
import java.util.concurrent.Executors;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Both eras on the SDK's own servlets, in Jetty's container with virtual threads: what durability is compared with. A process of this class path. */
public final class StockMcpServer {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "mcp-stock";

    private StockMcpServer() {}

    /** Serves until the process is killed. */
    public static void run() throws Exception {
        HttpServletStreamableServerTransportProvider transport = HttpServletStreamableServerTransportProvider.builder()
                .mcpEndpoint(Calls.PATH)
                .build();
        Tools.serve(transport);
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        add(context, transport, Calls.PATH);
        add(
                context,
                HttpServletMcpTransport.builder(Tools.modern())
                        .endpoint(Calls.STOCK_MODERN_PATH)
                        .build(),
                Calls.STOCK_MODERN_PATH);
        server.setHandler(context);
        server.start();
        System.out.println("Stock MCP server listening on http://127.0.0.1:" + connector.getLocalPort());
        System.out.flush();
        Thread.currentThread().join();
    }

    private static void add(ServletContextHandler context, Servlet servlet, String path) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, path);
    }
}
