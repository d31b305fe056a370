package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.Seat;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.ServerMessage.Detached.DetachReason;
import dev.holdfast.client.message.ServerMessage.Reply;
import dev.holdfast.client.message.SessionEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a server keeps: sessions whose events are numbered from 0, and the turns that were sent. It has the ways of the real one, and no time. */
final class SimServer {

    private final Random random;
    final Map<String, History> sessions = new TreeMap<>();

    /** The keys of turns, in the order in which they were started. */
    final List<String> started = new ArrayList<>();

    SimServer(Random random) {
        this.random = random;
    }

    /** A session: how many events it has, and how many of them are kept no more. */
    static final class History {
        int size;
        int trimmed;
    }

    /** One session on one connection. */
    private static final class Sub {
        final @Nullable String asked;
        boolean attached;
        int at;
        String token = "";

        Sub(@Nullable String asked) {
            this.asked = asked;
        }
    }

    /** What the server knows of one connection. */
    final class Peer {
        private final Map<String, Sub> subs = new LinkedHashMap<>();

        /** A frame of a session that has one, if one has. */
        @Nullable
        ServerMessage next() {
            List<String> names = new ArrayList<>(subs.keySet());
            java.util.Collections.shuffle(names, random);
            for (String name : names) {
                Sub sub = subs.get(name);
                History history = sessions.get(name);
                if (sub == null || history == null) {
                    continue;
                }
                if (!sub.attached || sub.at < history.trimmed) {
                    return attach(name, sub, history);
                }
                if (sub.at < history.size) {
                    return events(name, sub, history);
                }
            }
            return null;
        }

        private ServerMessage attach(String name, Sub sub, History history) {
            String asked = sub.asked;
            boolean fallenBehind = sub.attached;
            sub.attached = true;
            boolean ok = !fallenBehind && asked != null && position(asked) >= history.trimmed;
            if (ok && asked != null) {
                sub.at = position(asked);
                sub.token = random.nextInt(4) == 0 ? token(name, sub.at) : asked;
                return attached(name, Attached.Answer.OK, null, sub.token, null);
            }
            sub.at = history.size;
            sub.token = token(name, sub.at);
            return attached(
                    name,
                    Attached.Answer.SNAPSHOT,
                    asked == null ? Attached.Why.NEW : Attached.Why.TOO_OLD,
                    sub.token,
                    new Attached.Snapshot(List.of(), false));
        }

        private Attached attached(
                String name,
                Attached.Answer answer,
                Attached.@Nullable Why why,
                String token,
                Attached.@Nullable Snapshot snapshot) {
            return new Attached(name, answer, why, token, snapshot, List.of(), Seat.NONE, null, false, null);
        }

        private ServerMessage events(String name, Sub sub, History history) {
            int to = Math.min(history.size, sub.at + 1 + random.nextInt(3));
            List<SessionEvent> events = new ArrayList<>();
            for (int i = sub.at; i < to; i++) {
                events.add(Frames.event(name + ":" + i));
            }
            String from = sub.token;
            sub.at = to;
            sub.token = token(name, to);
            return new ServerMessage.Events(name, from, sub.token, events);
        }

        /** Does a command, and says what comes of it; a message that comes down with it is added to {@code down}. */
        Reply run(ClientMessage command, List<ServerMessage> down) {
            return switch (command) {
                case ClientMessage.Reconnect reconnect -> {
                    StringBuilder results = new StringBuilder();
                    for (Position each : reconnect.sessions()) {
                        subs.put(each.session(), new Sub(each.cursor()));
                        results.append(results.isEmpty() ? "" : ",")
                                .append("{\"session\":\"%s\",\"attached\":true}".formatted(each.session()));
                    }
                    yield ok(command, 200, "{\"sessions\":[%s]}".formatted(results));
                }
                case ClientMessage.Watch watch -> {
                    subs.put(watch.session(), new Sub(watch.cursor()));
                    yield ok(command, 200, "{\"attached\":true}");
                }
                case ClientMessage.Unwatch unwatch -> {
                    if (subs.remove(unwatch.session()) != null) {
                        down.add(new ServerMessage.Detached(unwatch.session(), DetachReason.UNWATCHED, null));
                    }
                    yield ok(command, 200, "{\"watched\":false}");
                }
                case ClientMessage.Probe probe -> {
                    down.add(new ServerMessage.Probe(probe.nonce()));
                    yield ok(command, 200, "{}");
                }
                case ClientMessage.Send send -> start(send);
                default -> throw new AssertionError(command);
            };
        }

        private Reply start(ClientMessage.Send send) {
            String key = String.valueOf(send.turn().key());
            boolean isNew = !started.contains(key);
            if (isNew) {
                started.add(key);
            }
            return ok(
                    send,
                    202,
                    "{\"session\":\"%s\",\"turn\":\"%s\",\"state\":\"accepted\",\"messageId\":\"m\",\"started\":%s}"
                            .formatted(send.session(), key, isNew));
        }
    }

    /** A position's name has several spellings, as cursors of a real server may. */
    private String token(String session, int at) {
        return session + "~" + at + "~" + random.nextInt(1000);
    }

    static int position(String token) {
        return Integer.parseInt(token.substring(token.indexOf('~') + 1, token.lastIndexOf('~')));
    }

    private static Reply ok(ClientMessage command, int status, String result) {
        return new Reply(command.id(), status, MessageJson.tree(result), null);
    }

    static Reply refusal(ClientMessage command, int status, String name) {
        return new Reply(
                command.id(), status, null, new Problem("urn:holdfast:problem:" + name, name, status, name, null));
    }
}
