package dev.holdfast.mcp.streamable;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.servlet.HoldfastServlet;
import java.io.IOException;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** In a servlet container, below a context and a path. */
final class ServletCallTest extends CallContract {

    @Override
    Site.Plan plan() {
        return new Site.Plan().binding(Container::new, "/app/agents/mcp");
    }

    private static final class Container implements HttpListener {
        private final Server server = new Server();
        private final ServerConnector connector = new ServerConnector(server);

        Container(String host, int port, HttpLimits limits, HttpHandler handler) {
            connector.setHost(host);
            connector.setPort(port);
            connector.setIdleTimeout(limits.idleTimeout().toMillis());
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler("/app");
            ServletHolder holder = new ServletHolder(new HoldfastServlet(handler));
            holder.setAsyncSupported(true);
            context.addServlet(holder, "/agents/*");
            server.setHandler(context);
            server.setStopTimeout(0);
        }

        @Override
        public void bind() throws IOException {
            connector.open();
        }

        @Override
        public void start() throws IOException {
            try {
                server.start();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }

        @Override
        public int port() {
            return connector.getLocalPort();
        }

        @Override
        public void close() {
            try {
                server.stop();
                connector.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
