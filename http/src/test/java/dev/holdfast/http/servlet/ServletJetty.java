package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import java.io.IOException;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.jakarta.server.config.JakartaWebSocketServletContainerInitializer;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty's servlet container with the binding below {@value #MOUNT}. */
final class ServletJetty implements HttpListener {

    static final String MOUNT = "/app/agents";

    private final Server server = new Server();
    private final ServerConnector connector;

    ServletJetty(String host, int port, HttpLimits limits, HttpHandler handler) {
        this(host, port, limits, handler, true);
    }

    /** A listener that answers on the container's threads. */
    static ServletJetty onItsOwnThreads(String host, int port, HttpLimits limits, HttpHandler handler) {
        return new ServletJetty(host, port, limits, handler, false);
    }

    private ServletJetty(String host, int port, HttpLimits limits, HttpHandler handler, boolean async) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setUriCompliance(UriCompliance.RFC3986);
        connector = new ServerConnector(
                server, new HttpConnectionFactory(configuration), new HTTP2CServerConnectionFactory(configuration));
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(limits.idleTimeout().toMillis());
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/app");
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        ServletHolder holder = new ServletHolder(new HoldfastServlet(handler));
        holder.setAsyncSupported(async);
        context.addServlet(holder, "/agents/*");
        JakartaWebSocketServletContainerInitializer.configure(context, null);
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
