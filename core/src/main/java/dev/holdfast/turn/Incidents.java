package dev.holdfast.turn;

import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.StreamLimits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where incidents are kept: a property of the session for each turn that is being recovered, which expires by itself. */
final class Incidents {

    private static final Logger LOG = LoggerFactory.getLogger(Incidents.class);

    private static final String PREFIX = TurnRows.PROPERTIES + "incident/";

    /** The first byte of a value; others are of a version that this one does not know, and are passed over. */
    private static final int VERSION = 1;

    private final TurnRuntime runtime;

    Incidents(TurnRuntime runtime) {
        this.runtime = runtime;
    }

    private static String owner(long sessionKey) {
        return new PropertyRow.Owner.Session(sessionKey).encoded();
    }

    Optional<Budget> find(TurnRow turn) {
        return runtime.store()
                .read(reads -> reads.property(owner(turn.sessionKey()), PREFIX + TurnRows.hash(turn.id())))
                .flatMap(row -> decode(row.value()));
    }

    static List<Incident> list(StoreReads reads, SessionRow session, long now) {
        return reads.properties(owner(session.key()), PREFIX, "", RecoverySettings.MAX_INCIDENTS_LISTED).stream()
                .filter(row -> row.expiresAt() > now)
                .flatMap(row -> decode(row.value()).stream())
                .map(Incidents::view)
                .toList();
    }

    static Incident view(Budget budget) {
        return new Incident(
                budget.turnId(),
                budget.status(),
                budget.cause(),
                budget.reason(),
                budget.attempts(),
                budget.work(),
                Instant.ofEpochMilli(budget.openedAt()),
                Instant.ofEpochMilli(budget.updatedAt()));
    }

    /** Writes an account inside a command. */
    void put(CommitScope scope, TurnRow turn, Budget budget) {
        runtime.sessions()
                .properties()
                .put(
                        scope,
                        new PropertyRow.Owner.Session(turn.sessionKey()),
                        PropertyWrite.of(PREFIX + TurnRows.hash(turn.id()), encode(budget))
                                .expiresAfter(RecoverySettings.INCIDENT_LIFE));
    }

    /** Writes an account. */
    Command<Boolean> write(TurnRow turn, Budget budget) {
        return new Command<>() {
            @Override
            protected Boolean decide(CommitScope scope) {
                put(scope, turn, budget);
                return true;
            }
        };
    }

    /**
     * The turn rests: forgets its incident, or keeps it as given up, inside the command that ends it. A turn that got as far as to wait has
     * recovered.
     */
    void close(CommitScope scope, TurnRow ended) {
        boolean failed = ended.state() == TurnRow.State.FAILED || ended.state() == TurnRow.State.INTERRUPTED;
        if (ended.epoch() <= 1 && !failed) {
            return; // it was never taken up
        }
        String name = PREFIX + TurnRows.hash(ended.id());
        Optional<Budget> open = scope.reads()
                .property(owner(ended.sessionKey()), name)
                .flatMap(row -> decode(row.value()))
                .filter(budget -> budget.status() == Incident.Status.RECOVERING);
        if (open.isPresent() && failed) {
            put(scope, ended, open.get().givenUp(ended.error() == null ? "" : ended.error(), scope.now()));
        } else if (open.isPresent()) {
            scope.writes().deleteProperty(owner(ended.sessionKey()), name);
        }
    }

    static byte[] encode(Budget budget) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(budget.turnId());
            out.writeUTF(budget.status().name());
            out.writeUTF(budget.cause().name());
            out.writeUTF(Names.shortened(budget.reason(), StreamLimits.MAX_REASON_BYTES));
            out.writeInt(budget.attempts());
            out.writeLong(budget.work());
            out.writeLong(budget.furthest());
            out.writeLong(budget.nested());
            out.writeLong(budget.openedAt());
            out.writeLong(budget.updatedAt());
            out.writeLong(budget.countedAt());
            out.writeLong(budget.progressAt());
            out.writeBoolean(budget.progressed());
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail", e);
        }
        return bytes.toByteArray();
    }

    /** Reads an account; empty if it is of another version or damaged, which only means that the turn's budgets begin anew. */
    static Optional<Budget> decode(byte[] value) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            if (in.readByte() != VERSION) {
                return Optional.empty();
            }
            return Optional.of(new Budget(
                    in.readUTF(),
                    Incident.Status.valueOf(in.readUTF()),
                    Incident.Cause.valueOf(in.readUTF()),
                    in.readUTF(),
                    in.readInt(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    in.readBoolean()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("An incident cannot be read and is passed over", e);
            return Optional.empty();
        }
    }
}
