package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.BlobRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordsRow;
import dev.holdfast.testkit.ScriptedDisk.Kind;
import dev.holdfast.testkit.Table.IndexRow;
import dev.holdfast.testkit.Table.NameRow;
import dev.holdfast.testkit.Table.PieceRow;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a write transaction stands on: a changed version of the tables, and the same changes as bytes. The first failure dooms it, as with a
 * database: every later verb and the commit answer the same error, until the rollback.
 */
abstract class SimEdits extends TableReads implements StoreTransaction {

    final SimStore store;
    final CommitLog.Changes changes = new CommitLog.Changes();
    Tables tables;
    boolean over;
    private @Nullable HoldfastException failure;

    SimEdits(SimStore store, Tables tables) {
        this.store = store;
        this.tables = tables;
    }

    boolean isOver() {
        return over;
    }

    @Override
    Tables look(String verb) {
        step(Kind.READ, verb);
        return tables;
    }

    final void step(Kind kind, String verb) {
        if (failure != null) {
            throw failure;
        }
        if (over) {
            throw new IllegalStateException("This transaction is over; begin another one.");
        }
        try {
            store.step(kind, verb);
        } catch (HoldfastException e) {
            failure = e;
            throw e;
        }
    }

    final <R extends Record> void put(Table<R> table, R row) {
        tables = tables.with(table, row);
        changes.put(table, row);
    }

    final void remove(Table<?> table, Key key) {
        tables = tables.without(table, key);
        changes.remove(table, key);
    }

    final <R extends Record> void insert(Table<R> table, R row) {
        require(tables.get(table, table.place().apply(row)).isEmpty(), "exists already", row);
        put(table, row);
    }

    final <R extends Record> void update(Table<R> table, R row) {
        require(tables.get(table, table.place().apply(row)).isPresent(), "does not exist", row);
        put(table, row);
    }

    final void require(boolean holds, String what, Record row) {
        if (!holds) {
            String message = row.getClass().getSimpleName() + " " + what + ": " + row;
            failure = new StoreFailed(message, new IllegalStateException(message));
            throw failure;
        }
    }

    @Override
    public void putWords(WordsRow row) {
        step(Kind.WRITE, "putWords");
        Key place = Key.of(row.sessionKey(), row.seq());
        if (row.words().isEmpty()) {
            remove(Table.WORDS, place);
            return;
        }
        long position = tables.get(Table.WORDS, place).map(IndexRow::position).orElseGet(() -> free(row.createdAt()));
        put(Table.WORDS, new IndexRow(row.sessionKey(), row.seq(), position, row.words()));
    }

    private long free(long at) {
        long position = Math.max(1, at * WordQuery.POSITIONS_PER_MILLI);
        for (IndexRow row : tables.rows(Table.WORDS).ascending(Key.of(Long.MIN_VALUE))) {
            if (row.position() / WordQuery.POSITIONS_PER_MILLI == at) {
                position = Math.max(position, row.position() + 1);
            }
        }
        return position;
    }

    @Override
    public void insertBlob(BlobRow row) {
        step(Kind.WRITE, "insertBlob");
        boolean taken = all(tables, Table.BLOBS)
                .anyMatch(other ->
                        other.sessionKey() == row.sessionKey() && other.id().equals(row.id()));
        require(!taken, "has an id that is taken", row);
        insert(Table.BLOBS, row);
    }

    @Override
    public void updateBlob(BlobRow row) {
        step(Kind.WRITE, "updateBlob");
        update(Table.BLOBS, row);
    }

    @Override
    public void insertBlobPiece(long key, int piece, byte[] bytes) {
        step(Kind.WRITE, "insertBlobPiece");
        insert(Table.PIECES, new PieceRow(key, piece, bytes));
    }

    @Override
    public void deleteBlob(long key) {
        step(Kind.WRITE, "deleteBlob");
        int unused = removeBlob(key);
    }

    private int removeBlob(long key) {
        List<PieceRow> pieces = from(tables, Table.PIECES, Key.of(key, 0))
                .takeWhile(piece -> piece.key() == key)
                .toList();
        pieces.forEach(piece -> remove(Table.PIECES, Key.of(key, piece.piece())));
        remove(Table.BLOBS, Key.of(key));
        return pieces.size() + 1;
    }

    final int purgeBlobs(long sessionKey, int limit) {
        List<BlobRow> all = all(tables, Table.BLOBS)
                .filter(blob -> blob.sessionKey() == sessionKey)
                .toList();
        int deleted = 0;
        for (BlobRow blob : all) {
            if (deleted >= limit) {
                return limit;
            }
            deleted += removeBlob(blob.key());
        }
        return Math.min(deleted, limit);
    }

    @Override
    public void nameBlobs(long sessionKey, long seq, Set<String> ids) {
        step(Kind.WRITE, "nameBlobs");
        name(sessionKey, seq, ids);
    }

    final void name(long sessionKey, long seq, Set<String> ids) {
        Set<String> before = named(tables, sessionKey, seq);
        for (String id : before) {
            if (!ids.contains(id)) {
                remove(Table.NAMES, new Key("", sessionKey, seq, id));
                count(sessionKey, id, -1);
            }
        }
        for (String id : ids) {
            if (!before.contains(id)) {
                insert(Table.NAMES, new NameRow(sessionKey, seq, id));
                count(sessionKey, id, 1);
            }
        }
    }

    private void count(long sessionKey, String id, int more) {
        BlobRow b = all(tables, Table.BLOBS)
                .filter(blob -> blob.sessionKey() == sessionKey && blob.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a message names what is not there: " + id));
        long references = b.references() + more;
        put(
                Table.BLOBS,
                new BlobRow(
                        b.key(),
                        b.sessionKey(),
                        b.id(),
                        b.mediaType(),
                        b.filename(),
                        b.bytes(),
                        references,
                        references == 0 ? BlobRow.EXPIRED : 0,
                        b.createdAt()));
    }
}
