package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.Results;
import dev.holdfast.client.message.ToolAnswer;
import dev.holdfast.client.message.TurnDraft;
import dev.holdfast.client.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client of the session transport (docs/wires/session.md): many sessions over one connection, which it opens again whenever it is lost.
 *
 * <ul>
 *   <li>A watched session is complete, in order, and has nothing twice, whatever cuts the connection: its {@link Watch#cursor} moves once its listener
 *       has taken what came, and a reconnect goes on there.
 *   <li>What is sent waits in an outbox of at most {@value Outbox#MAX_ENTRIES} until the server's receipt: in order, one at a time, repeated under the
 *       same id. It is started once, however often it was sent. Nothing is sent before everything watched is attached.
 *   <li>Other commands are sent once. Those given without a connection wait for it.
 *   <li>After {@link #close} nothing fires.
 * </ul>
 *
 * <p>Thread-safe. Nothing here waits for the network. Listeners are called by the connection's thread, one call at a time for each watch; a slow one slows
 * the connection and nothing else. The states and the results of commands are told on the executor of the settings.
 */
public final class SessionClient implements AutoCloseable {

    /** How often in a row a listener may throw before its watch ends. */
    public static final int MAX_REFUSALS = 5;

    private final Monitor monitor = new Monitor();
    private final Transport transport;
    private final Ids ids;
    private final WatchTable watches;
    private final Controls controls;
    private final Outbox outbox;
    private final Connector connector;

    /** One with the usual settings. It does nothing until {@link #connect}. */
    public SessionClient(Transport transport) {
        this(transport, ClientSettings.defaults());
    }

    /**
     * One that goes on with what is in the outbox of its settings, once it is connected.
     *
     * @param transport closed with this client
     * @throws UncheckedIOException if the outbox cannot be read
     */
    public SessionClient(Transport transport, ClientSettings settings) {
        this.transport = transport;
        this.ids = new Ids(settings.random());
        Calls calls = new Calls(monitor, settings.timers());
        this.watches = new WatchTable(monitor, settings, calls, ids);
        this.controls = new Controls(monitor, settings, calls, this::connector);
        this.outbox = new Outbox(monitor, settings, calls, this::connector);
        this.connector = new Connector(monitor, transport, settings, calls, ids, watches, List.of(controls, outbox));
        watches.belongTo(connector);
        try {
            outbox.load();
        } catch (IOException e) {
            throw new UncheckedIOException("The outbox cannot be read.", e);
        }
    }

    /**
     * A turn that the server has not answered yet.
     *
     * @param attempts how often it was sent; unless it is 0, the server may have it
     */
    public record Unsent(OutboxEntry entry, int attempts) {}

    private Connector connector() {
        return connector;
    }

    /** Opens the connection and keeps it, unless that was asked before. After an {@link ClientState.Ended end} it begins again. */
    public void connect() {
        monitor.change(connector::connect);
    }

    /** Where the connection is now. */
    public ClientState state() {
        return monitor.decide(connector::state);
    }

    /**
     * Watches a session, as soon as there is a connection and on each that follows, until the watch is ended.
     *
     * @param cursor where to go on; null begins with a snapshot
     * @throws IllegalStateException if it is watched already
     * @throws ClientException.Full if {@value WatchTable#MAX_WATCHED} sessions are
     */
    public Watch watch(String session, @Nullable String cursor, SessionListener listener) {
        return watches.watch(session, cursor, listener);
    }

    /** As {@link #send(String, TurnDraft)}, with a text of the user. */
    public CompletableFuture<Receipt> send(String session, String text) {
        return send(session, TurnDraft.text(text));
    }

    /**
     * Starts a turn, once. A message, or a turn without one, that has no id is given one. The future has the server's receipt, or fails with {@link ClientException.Refused}; where
     * the client ends or is closed before, it fails, though the entry stays in the outbox and its store. Cancelling the future withdraws what is not under way.
     *
     * @throws ClientException.Full if {@value Outbox#MAX_ENTRIES} wait already
     * @throws UncheckedIOException if the outbox cannot be written
     */
    public CompletableFuture<Receipt> send(String session, TurnDraft turn) {
        return outbox.add(() -> entry(false, session, false, turn));
    }

    /** As {@link #send(String, TurnDraft)}, in a session that is made if it is missing; with null in one of its own, which the receipt names. */
    public CompletableFuture<Receipt> sendCreating(@Nullable String session, TurnDraft turn) {
        return outbox.add(() -> entry(false, session, true, turn));
    }

    /** As {@link #send(String, TurnDraft)}, and stops the turn that ran before it. */
    public CompletableFuture<Receipt> interrupt(String session, TurnDraft turn) {
        return outbox.add(() -> entry(true, session, false, turn));
    }

    private OutboxEntry entry(boolean interrupting, @Nullable String session, boolean create, TurnDraft turn) {
        return new OutboxEntry(ids.next(), interrupting, session, create, keyed(turn));
    }

    private TurnDraft keyed(TurnDraft turn) {
        if (turn.message() == null) {
            return turn.key() == null ? turn.withId(ids.next()) : turn;
        }
        return turn.message().key() == null ? turn.withUserMessageId(turn.id() == null ? ids.next() : turn.id()) : turn;
    }

    /** What was sent and is not answered yet, in order. */
    public List<Unsent> outbox() {
        return monitor.decide(outbox::unsent);
    }

    /** Stops a turn, or with null the one that runs. */
    public CompletableFuture<Results.Stopped> stop(String session, @Nullable String turn, @Nullable String reason) {
        return control(id -> new ClientMessage.Stop(id, session, turn, reason), Results.Stopped.class);
    }

    /** Answers a tool call, or the question whether a tool may run. */
    public CompletableFuture<Results.Answered> answer(String session, String turn, ToolAnswer answer) {
        return control(id -> new ClientMessage.Answer(id, session, turn, answer), Results.Answered.class);
    }

    /** Sets the session's mode, 1 to 64 characters. */
    public CompletableFuture<Results.ModeSet> mode(String session, String mode) {
        return control(id -> new ClientMessage.Mode(id, session, mode), Results.ModeSet.class);
    }

    /** Ends a session, if this device drives it: what waits is ended, what runs is stopped. */
    public CompletableFuture<Results.Closed> closeSession(String session, @Nullable String reason) {
        return control(id -> new ClientMessage.Close(id, session, reason), Results.Closed.class);
    }

    private <T> CompletableFuture<T> control(Function<String, ClientMessage> command, Class<T> type) {
        return monitor.decide(() -> controls.add(command.apply(ids.next()), type));
    }

    /**
     * Asks whether the connection lives, and gives it a second; one that does not is replaced at once. Who waits for another try to connect does not wait any
     * more. For the moments in which a connection is in doubt, as after a sleep or a change of network.
     *
     * @return whether there was a sign of life
     */
    public CompletableFuture<Boolean> probe() {
        return monitor.decide(connector::probe);
    }

    /** Replaces the connection by a new one at once. */
    public void reopen() {
        monitor.change(connector::reopen);
    }

    /** Ends everything. No call of a listener begins afterwards; futures that wait fail. What the outbox's store holds stays there. */
    @Override
    public void close() {
        monitor.change(connector::close);
        transport.close();
    }
}
