package dev.holdfast.examples.mcp.documents;

/** There is no such document, or none that may be read. Which of both is not told. */
final class NoDocument extends RuntimeException {
    NoDocument(String asked) {
        super("There is no document \"%s\".".formatted(asked));
    }
}
