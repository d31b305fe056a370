package dev.holdfast.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import dev.holdfast.http.Upgrade;
import jakarta.servlet.Servlet;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** A container that has no WebSockets serves all else, and says so. */
final class NoWebSocketsTest {

    private static final String UPGRADE = String.join(
            "\r\n",
            "GET " + Tomcats.MOUNT + "/socket HTTP/1.1",
            "Host: localhost",
            "Connection: Upgrade, close",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "\r\n");

    private static void routes(Router.Builder routes) {
        routes.addUpgrading(
                "GET",
                "/socket",
                call -> call.exchange().upgrade(new Upgrade(null, 1, (socket, wake) -> {
                    throw new IllegalStateException("opened");
                })));
        routes.add("GET", "/plain", call -> Answers.empty(call.exchange(), 204, new dev.holdfast.http.Headers()));
    }

    private static void check(HttpListener.Factory factory) throws Exception {
        try (RunningServer server = RunningServer.start(
                NoWebSocketsTest::routes, Trust.loopback("default"), HttpLimits.defaults(), factory)) {
            assertThat(server.get(Tomcats.MOUNT + "/plain").statusCode()).isEqualTo(204);
            assertThat(server.raw(UPGRADE))
                    .startsWith("HTTP/1.1 501")
                    .contains(HttpProblem.noWebSockets().problem().type());
            assertThat(server.door().open().count()).isZero();
        }
    }

    @Test
    void an_upgrade_is_answered_with_a_501_where_the_container_has_none() throws Exception {
        check((host, port, limits, handler) -> new Tomcats(host, port, limits, new HoldfastServlet(handler)));
    }

    @Test
    void the_binding_works_without_a_class_of_jakarta_websocket() throws Exception {
        check((host, port, limits, handler) -> new Tomcats(host, port, limits, alone(handler)));
    }

    private static Servlet alone(HttpHandler handler) {
        try {
            return (Servlet) new Alone()
                    .loadClass(HoldfastServlet.class.getName())
                    .getConstructor(HttpHandler.class)
                    .newInstance(handler);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Loads the binding anew, and nothing of Jakarta WebSocket. */
    private static final class Alone extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("jakarta.websocket.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(HoldfastServlet.class.getPackageName() + ".")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
