package dev.holdfast.bench.http;

/** A server that is loaded. */
enum Contender {
    HOLDFAST("Holdfast, durable"),
    BARE("bare Jetty handler"),
    NODE_FILE("reference, files"),
    NODE_MEMORY("reference, memory");

    private final String title;

    Contender(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
