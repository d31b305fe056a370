package dev.holdfast.verification.servlet;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.servlet.HoldfastServlet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.ExpandWar;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;

/** Tomcat that serves everything through the servlet binding. */
public final class TomcatListener implements HttpListener {

    /** Held, so that its level stays. */
    private static final Logger LOG = Logger.getLogger("org.apache");

    private final Path folder = folder();
    private final Tomcat tomcat = new Tomcat();
    private final Connector connector = new Connector();

    private TomcatListener(String host, int port, HttpLimits limits, HttpHandler handler) {
        LOG.setLevel(Level.OFF);
        tomcat.setBaseDir(folder.toString());
        connector.setPort(port);
        connector.setProperty("address", host);
        connector.setProperty(
                "connectionTimeout", Long.toString(limits.idleTimeout().toMillis()));
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "holdfast", new HoldfastServlet(handler)).setAsyncSupported(true);
        context.addServletMappingDecoded("/*", "holdfast");
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

    /** Makes it known to the server as {@code tomcat}. */
    public static final class Provider implements HttpListener.Provider {

        @Override
        public String name() {
            return "tomcat";
        }

        @Override
        public HttpListener listen(String host, int port, HttpLimits limits, HttpHandler handler) {
            return new TomcatListener(host, port, limits, handler);
        }
    }
}
