package dev.holdfast.http.session;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A server that takes {@link Orders}. Orders are carried out one after the other. Safe for any thread. */
interface OrderedServer extends AutoCloseable {

    /** Returns what there is to tell once it is done. */
    JsonNode order(ObjectNode order) throws IOException, InterruptedException;

    @Override
    void close();
}
