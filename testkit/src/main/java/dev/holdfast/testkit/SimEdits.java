package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordsRow;
import dev.holdfast.testkit.ScriptedDisk.Kind;
import dev.holdfast.testkit.Table.IndexRow;
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
}
