package dev.holdfast.client;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.message.ClientMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client whose time, chance, threads and server are the test's. */
final class Rig {

    /** The result of a watch that is taken. */
    static final String ATTACHED = "{'attached':true}";

    static final String ALL_ATTACHED = "{'sessions':[]}";

    final ManualTimers timers = new ManualTimers();
    final ScriptedTransport transport = new ScriptedTransport();
    final List<ClientState> states = new ArrayList<>();
    final SessionClient client;

    Rig() {
        this(OutboxStore.none());
    }

    Rig(OutboxStore store) {
        client = new SessionClient(transport, settings(store));
    }

    ClientSettings settings(OutboxStore store) {
        return ClientSettings.defaults()
                .withOutbox(store)
                .withOnState(states::add)
                .withTimers(timers)
                .withRandom(new Random(7))
                .withExecutor(Runnable::run);
    }

    Line line() {
        return transport.line();
    }

    /** Connects with what is watched, and answers the reconnect. */
    Line connected(String connection) {
        client.connect();
        Line line = line();
        line.welcome(connection);
        line.sent.stream()
                .filter(sent -> sent.command() instanceof ClientMessage.Reconnect)
                .findFirst()
                .ifPresent(sent -> sent.answer(200, ALL_ATTACHED));
        return line;
    }

    /** Lets the pause before the next try pass; the next line is open then. */
    Line comeBack() {
        int before = transport.lines.size();
        while (transport.lines.size() == before) {
            timers.advance(timers.next().orElseThrow());
        }
        return line();
    }

    boolean isConnected() {
        return client.state() instanceof ClientState.Connected;
    }

    void pass(Duration time) {
        timers.advance(time);
    }

    /** Connected, with the session watched at its cursor. */
    Line at(String session, String cursor, SessionListener listener) {
        Line line = connected("one");
        Watch unused = client.watch(session, cursor, listener);
        line.last().answer(200, ATTACHED);
        line.attachOk(session, cursor);
        return line;
    }
}
