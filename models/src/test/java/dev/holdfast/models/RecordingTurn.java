package dev.holdfast.models;

import dev.holdfast.session.Attachment;
import dev.holdfast.session.AttachmentId;
import dev.holdfast.session.CompactedHistory;
import dev.holdfast.session.Message;
import dev.holdfast.session.Overlay;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.turn.NestedTurn;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.uimessage.AttachmentUrls;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A turn in memory that records what an agent does. It can go on as after a crash: {@link #lost} is the turn with what was durable. Emitting and
 * remembering are recorded in one order, since the id of a run has to be durable before its chunks.
 */
final class RecordingTurn implements TurnContext {

    private final List<UiMessage> history;
    private final int attempt;
    private final List<byte[]> prefix;
    private final List<byte[]> chunks;
    private final Map<String, byte[]> memory;
    private final List<String> log = new ArrayList<>();
    private @Nullable UiMessage written;
    private @Nullable Overlay overlay;
    private List<String> foldedIds = List.of();
    private OptionalLong position;
    private volatile boolean stopRequested;
    private volatile boolean stopped;
    private @Nullable Runnable onStop;
    private IntConsumer onEmit = count -> {};

    RecordingTurn(String question) {
        this(List.of(UiMessage.ofUser("u1", question)));
    }

    RecordingTurn(List<UiMessage> history) {
        this(history, 1, List.of(), new HashMap<>(), OptionalLong.empty());
    }

    private RecordingTurn(
            List<UiMessage> history,
            int attempt,
            List<byte[]> prefix,
            Map<String, byte[]> memory,
            OptionalLong position) {
        this.history = history;
        this.attempt = attempt;
        this.prefix = prefix;
        this.chunks = new ArrayList<>(prefix);
        this.memory = memory;
        this.position = position;
    }

    /** The same turn in another process, on the same stream. */
    RecordingTurn lost() {
        RecordingTurn next =
                new RecordingTurn(history, attempt + 1, List.copyOf(chunks), new HashMap<>(memory), position);
        next.written = written;
        return next;
    }

    /** The same turn in another process, as the agent wants it to go on. */
    RecordingTurn recovered(Agent agent) {
        if (agent.recover(lostTurn()) == Agent.Recovery.CONTINUE) {
            return lost();
        }
        RecordingTurn next = new RecordingTurn(history, attempt + 1, List.of(), new HashMap<>(), OptionalLong.empty());
        next.written = written;
        return next;
    }

    Agent.LostTurn lostTurn() {
        return new Agent.LostTurn("s1", "t1", attempt + 1, chunks.size(), "stream", this::recall);
    }

    /** Called with the number of chunks after each emission; may throw to play a crash. */
    RecordingTurn onEmit(IntConsumer action) {
        this.onEmit = action;
        return this;
    }

    private final Map<String, byte[]> attachments = new HashMap<>();

    /** Has an attachment of this turn's session; returns its address. */
    String attach(String mediaType, byte[] bytes) {
        String id = AttachmentId.of(mediaType, bytes);
        attachments.put(id, bytes);
        return AttachmentUrls.of(sessionId(), id);
    }

    @Override
    public Optional<Attachment> attachment(String id) {
        return Optional.ofNullable(attachments.get(id))
                .map(bytes -> new Attachment(id, "image/png", null, bytes.length, Instant.EPOCH));
    }

    @Override
    public InputStream openAttachment(String id) {
        return new ByteArrayInputStream(attachments.get(id));
    }

    RecordingTurn written(UiMessage message) {
        this.written = message;
        return this;
    }

    /** Stops the turn for good, from another thread. */
    void stop() {
        stopped = true;
        drain();
    }

    /** Ends this run of the turn only. */
    void drain() {
        stopRequested = true;
        Runnable action;
        synchronized (this) {
            action = onStop;
        }
        if (action != null) {
            action.run();
        }
    }

    /** All chunks as text, over all attempts. */
    List<String> chunks() {
        return chunks.stream()
                .map(chunk -> new String(chunk, StandardCharsets.UTF_8))
                .toList();
    }

    List<byte[]> raw() {
        return chunks;
    }

    /** What was done, in order: {@code remember NAME} and {@code emit COUNT}. */
    List<String> log() {
        return log;
    }

    UiMessage message(End end) {
        byte[] before = written == null ? null : written.toBytes();
        return UiMessage.parse(new UiMessageAssembler()
                .assemble(new Assembly(messageId(), before, chunks, end, null))
                .orElseThrow());
    }

    @Override
    public String sessionId() {
        return "s1";
    }

    @Override
    public String turnId() {
        return "t1";
    }

    @Override
    public String messageId() {
        return "m1";
    }

    @Override
    public byte[] input() {
        return new byte[0];
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public List<Message> history(long maxBytes) {
        return history.stream().map(RecordingTurn::stored).toList();
    }

    @Override
    public CompactedHistory conversation(long maxBytes) {
        List<CompactedHistory.Entry> entries = new ArrayList<>();
        for (Message message : history(maxBytes)) {
            if (overlay != null && message.id().equals(overlay.from())) {
                entries.add(new CompactedHistory.Entry.Folded(overlay, 0));
            }
            if (overlay == null || !foldedIds.contains(message.id())) {
                entries.add(new CompactedHistory.Entry.Stored(message));
            }
        }
        return new CompactedHistory(entries, false, 0);
    }

    @Override
    public Overlay fold(String from, String to, String summary) {
        List<String> ids = history.stream().map(UiMessage::id).toList();
        foldedIds = ids.subList(ids.indexOf(from), ids.indexOf(to) + 1);
        overlay = new Overlay("1", from, to, summary, Instant.EPOCH);
        return overlay;
    }

    @Override
    public Optional<Message> written() {
        return Optional.ofNullable(written).map(RecordingTurn::stored);
    }

    private static Message stored(UiMessage message) {
        return new Message(message.id(), null, message.role(), message.toBytes(), Instant.EPOCH, Instant.EPOCH);
    }

    @Override
    public List<byte[]> prefix() {
        return prefix;
    }

    @Override
    public OptionalLong position() {
        return position;
    }

    @Override
    public void emit(List<byte[]> added) {
        chunks.addAll(added);
        log.add("emit " + added.size());
        onEmit.accept(chunks.size());
    }

    @Override
    public void emit(List<byte[]> added, long newPosition) {
        if (newPosition < position.orElse(-1)) {
            throw new AssertionError("position " + newPosition + " is below " + position);
        }
        position = OptionalLong.of(newPosition);
        emit(added);
    }

    @Override
    public void remember(String name, byte[] value) {
        memory.put(name, value);
        log.add("remember " + name);
    }

    @Override
    public Optional<byte[]> recall(String name) {
        return Optional.ofNullable(memory.get(name));
    }

    @Override
    public boolean stopRequested() {
        return stopRequested;
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public synchronized void onStop(Runnable action) {
        onStop = action;
        if (stopRequested) {
            action.run();
        }
    }

    @Override
    public NestedTurn nest(String sessionId, TurnRequest request) {
        throw new UnsupportedOperationException("Nothing is nested here");
    }
}
