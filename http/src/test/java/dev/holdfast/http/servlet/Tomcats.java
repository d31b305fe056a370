package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import jakarta.servlet.Servlet;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.ExpandWar;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.apache.tomcat.websocket.server.WsSci;

/** Tomcat with the servlet binding below {@value #MOUNT}. */
final class Tomcats implements HttpListener {

    static final String MOUNT = "/app/agents";

    /** Held, so that its level stays. Each cut exchange is an error to Tomcat. */
    private static final Logger LOG = Logger.getLogger("org.apache");

    private final Path folder = folder();
    private final Tomcat tomcat = new Tomcat();
    private final Connector connector = new Connector();
    private final Context context;

    Tomcats(String host, int port, HttpLimits limits, HttpHandler handler) {
        this(host, port, limits, new HoldfastServlet(handler));
        context.addServletContainerInitializer(new WsSci(), null);
    }

    /** Without WebSockets. */
    Tomcats(String host, int port, HttpLimits limits, Servlet servlet) {
        LOG.setLevel(Level.OFF);
        tomcat.setBaseDir(folder.toString());
        connector.setPort(port);
        connector.setProperty("address", host);
        connector.setProperty(
                "connectionTimeout", Long.toString(limits.idleTimeout().toMillis()));
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.addUpgradeProtocol(new Http2Protocol());
        tomcat.setConnector(connector);
        context = tomcat.addContext("/app", new File(".").getAbsolutePath());
        Wrapper wrapper = Tomcat.addServlet(context, "holdfast", servlet);
        wrapper.setAsyncSupported(true);
        context.addServletMappingDecoded("/agents/*", "holdfast");
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("holdfast-tomcat");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void bind() throws IOException {
        try {
            tomcat.init();
        } catch (LifecycleException e) {
            throw new IOException(e);
        }
        if (connector.getLocalPort() < 0) {
            throw new IOException("Tomcat could not bind; it says why in its log only");
        }
    }

    @Override
    public void start() throws IOException {
        try {
            tomcat.start();
        } catch (LifecycleException e) {
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
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        } finally {
            ExpandWar.delete(folder.toFile()); // Tomcat's own way to delete a folder with all that is in it
        }
    }
}
