package dev.holdfast.models;

import dev.holdfast.uimessage.UiChunk;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which texts and reasonings of a stream of chunks are open. */
final class OpenParts {

    private final Set<String> texts = new LinkedHashSet<>();
    private final Set<String> reasonings = new LinkedHashSet<>();

    /** Learns from a chunk that was emitted. */
    void note(UiChunk chunk) {
        switch (chunk) {
            case UiChunk.TextStart c -> texts.add(c.id());
            case UiChunk.TextEnd c -> texts.remove(c.id());
            case UiChunk.ReasoningStart c -> reasonings.add(c.id());
            case UiChunk.ReasoningEnd c -> reasonings.remove(c.id());
            default -> {}
        }
    }

    void openText(String id, List<UiChunk> out) {
        if (texts.add(id)) {
            out.add(new UiChunk.TextStart(id));
        }
    }

    void closeText(String id, List<UiChunk> out) {
        if (texts.remove(id)) {
            out.add(new UiChunk.TextEnd(id));
        }
    }

    void openReasoning(String id, List<UiChunk> out) {
        if (reasonings.add(id)) {
            out.add(new UiChunk.ReasoningStart(id));
        }
    }

    void closeReasoning(String id, List<UiChunk> out) {
        if (reasonings.remove(id)) {
            out.add(new UiChunk.ReasoningEnd(id));
        }
    }

    void closeReasonings(List<UiChunk> out) {
        reasonings.forEach(id -> out.add(new UiChunk.ReasoningEnd(id)));
        reasonings.clear();
    }

    void closeTexts(List<UiChunk> out) {
        texts.forEach(id -> out.add(new UiChunk.TextEnd(id)));
        texts.clear();
    }

    boolean hasText() {
        return !texts.isEmpty();
    }

    boolean hasReasoning() {
        return !reasonings.isEmpty();
    }
}
