package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.List;

/** Chunks between a turn and a mapper. */
final class Emission {

    private Emission() {}

    static List<byte[]> bytes(List<UiChunk> chunks) {
        return chunks.stream().map(UiChunk::toBytes).toList();
    }

    static List<UiChunk> prefix(TurnContext turn) {
        List<UiChunk> chunks = new ArrayList<>();
        for (byte[] chunk : turn.prefix()) {
            chunks.add(UiChunk.parse(chunk));
        }
        return chunks;
    }

    static void emit(TurnContext turn, List<UiChunk> chunks) {
        if (!chunks.isEmpty()) {
            turn.emit(bytes(chunks));
        }
    }
}
