package dev.holdfast.client.message;

/** A frame that is no message of the transport: no JSON object with a type, or without what its type must have. */
public final class MalformedMessage extends RuntimeException {
    MalformedMessage(String message, Throwable cause) {
        super(message, cause);
    }

    MalformedMessage(String message) {
        super(message);
    }
}
