package dev.holdfast.bench.http.server;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.jetty.JettyServer;
import java.io.IOException;

/** The least that a server on this Jetty could do for the same requests: the process around {@link BareHandler}. */
public final class BareServer {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "bare";

    private BareServer() {}

    /**
     * Serves until the process is killed.
     *
     * @param contentBytes how much a GET is answered with
     */
    public static void run(int contentBytes) throws IOException, InterruptedException {
        JettyServer server = new JettyServer("127.0.0.1", 0, HttpLimits.defaults(), new BareHandler(contentBytes));
        server.start();
        System.out.println("Bare handler listening on http://127.0.0.1:" + server.port());
        System.out.flush();
        Thread.currentThread().join();
    }
}
