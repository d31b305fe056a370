package dev.holdfast.verification.chat;

import dev.holdfast.http.Router;
import dev.holdfast.turn.TurnSettings;
import java.util.List;

/** Something that a {@link Scene} has besides what every scene has. */
interface Prop extends AutoCloseable {

    /** Options of the server process. */
    default List<String> serverOptions() {
        return List.of();
    }

    /** What the scene's own server knows of turns. */
    default TurnSettings turns(TurnSettings settings) {
        return settings;
    }

    /** What the scene's own server serves. */
    default void addTo(Router.Builder routes) {}

    @Override
    default void close() {}
}
