package dev.holdfast.verification.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/** Ports for servers that are started again at the same address. */
public final class LastingPort {

    /** Below the ports that systems give out by themselves, so that nobody is given one while its server is down. */
    private static final int FIRST = 10_000;

    private static final int END = 30_000;
    private static final int TRIES = 1_000;
    private static final Random RANDOM = new Random();

    private LastingPort() {}

    /** One that nobody listens at now. */
    public static int find() {
        for (int i = 0; i < TRIES; i++) {
            int port = RANDOM.nextInt(FIRST, END);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                // taken: another one
            }
        }
        throw new AssertionError("no port from %d to %d is free".formatted(FIRST, END));
    }
}
