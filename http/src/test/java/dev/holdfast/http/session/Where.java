package dev.holdfast.http.session;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Where the server of a scenario lives. */
enum Where {
    /** In the process of the test. It is closed at the end. */
    IN_PROCESS {
        @Override
        OrderedServer start(Path store, Plan plan) throws IOException {
            TransportServer server = new TransportServer(store, plan);
            Orders orders = new Orders(server);
            return new OrderedServer() {
                @Override
                public synchronized JsonNode order(ObjectNode order) throws InterruptedException {
                    try {
                        return orders.run(order);
                    } catch (ExecutionException e) {
                        throw new AssertionError("The server could not " + order, e);
                    }
                }

                @Override
                public void close() {
                    server.close();
                }
            };
        }
    },
    /** In a process of its own, which is killed with SIGKILL at the end. */
    FORKED {
        @Override
        OrderedServer start(Path store, Plan plan) throws IOException {
            return ForkedServer.start(store, plan);
        }
    };

    /** Starts a server on a store. */
    abstract OrderedServer start(Path store, Plan plan) throws IOException;
}
