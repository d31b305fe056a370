package dev.holdfast.http.api;

import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.http.Call;
import dev.holdfast.http.HttpLimits;
import java.util.Optional;

/** Where a client says it goes on: {@code Last-Event-ID}, which browsers send by themselves, before {@code ?cursor=}. */
public final class Cursors {

    private Cursors() {}

    /**
     * The token, unread. A header or parameter that is empty counts as none: browsers send one before the first event.
     *
     * @throws WrongCursor if it is longer than any cursor
     */
    public static Optional<String> given(Call call) {
        Optional<String> token = call.header("Last-Event-ID")
                .filter(value -> !value.isEmpty())
                .or(() -> call.query().text("cursor"));
        if (token.isPresent() && token.get().length() > HttpLimits.MAX_CURSOR_CHARS) {
            throw new WrongCursor("This is not a cursor: it has %d characters. Send one exactly as the server gave it."
                    .formatted(token.get().length()));
        }
        return token;
    }
}
