package dev.holdfast.testkit;

import dev.holdfast.testkit.Table.MetaRow;
import java.util.Arrays;
import java.util.Optional;

/** All tables at one instant. Immutable: a changed version shares the rest with the one before. */
final class Tables {

    static final Tables EMPTY = new Tables(emptyMaps());

    private final PersistentMap<Key, ?>[] maps;

    private Tables(PersistentMap<Key, ?>[] maps) {
        this.maps = maps;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // arrays know no type arguments
    private static PersistentMap<Key, ?>[] emptyMaps() {
        PersistentMap<Key, ?>[] maps = new PersistentMap[Table.ALL.size()];
        Arrays.fill(maps, PersistentMap.<Key, Object>empty());
        return maps;
    }

    @SuppressWarnings("unchecked") // each slot holds its own table's rows
    <R extends Record> PersistentMap<Key, R> rows(Table<R> table) {
        return (PersistentMap<Key, R>) maps[table.id()];
    }

    <R extends Record> Optional<R> get(Table<R> table, Key key) {
        return rows(table).get(key);
    }

    <R extends Record> Tables with(Table<R> table, R row) {
        return replace(table, rows(table).put(table.place().apply(row), row));
    }

    <R extends Record> Tables without(Table<R> table, Key key) {
        return replace(table, rows(table).remove(key));
    }

    private <R extends Record> Tables replace(Table<R> table, PersistentMap<Key, R> rows) {
        PersistentMap<Key, ?>[] copy = maps.clone();
        copy[table.id()] = rows;
        return new Tables(copy);
    }

    long number(String name) {
        return get(Table.META, Key.of("", name)).map(MetaRow::value).orElse(0L);
    }
}
