package dev.holdfast.server;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.RequestHead;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a listener will find the {@link FrontDoor}: the address is taken before there is anything behind it. Nobody comes in before the listener
 * is started, and by then the door is hung. Thread-safe.
 */
final class Doorway implements HttpHandler {

    private volatile @Nullable FrontDoor door;

    void hang(FrontDoor made) {
        door = made;
    }

    private FrontDoor door() {
        return Objects.requireNonNull(door, "a listener was started before there was a door");
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        door().handle(exchange);
    }

    @Override
    public boolean mayUpgrade(RequestHead head) {
        return door().mayUpgrade(head);
    }

    @Override
    public boolean goOn(Exchange exchange, Exchange.Rest rest, Runnable wake) throws IOException {
        return door().goOn(exchange, rest, wake);
    }
}
