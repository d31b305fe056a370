package dev.holdfast.server;

import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;

/** Which agent answers: the configured model, or the demo. */
final class Agents {

    /** The name that turns give who name no agent. */
    static final String DEFAULT = "default";

    private Agents() {}

    static TurnSettings of(ServerSettings settings) {
        return TurnSettings.defaults().withAssembler(new UiMessageAssembler());
    }
}
