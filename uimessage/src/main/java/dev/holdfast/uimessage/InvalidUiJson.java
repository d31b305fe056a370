package dev.holdfast.uimessage;

/** Bytes are not a chunk or a message of the AI SDK: not JSON, beyond a limit, or with a field that its clients refuse. */
public final class InvalidUiJson extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    InvalidUiJson(String message) {
        super(message);
    }

    InvalidUiJson(String message, Throwable cause) {
        super(message, cause);
    }
}
