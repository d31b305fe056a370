package dev.holdfast.testkit;

import dev.holdfast.store.StoreReads;
import dev.holdfast.store.WordQuery;
import dev.holdfast.testkit.Table.IndexRow;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reading what belongs to messages: their words. */
abstract class FoundReads implements StoreReads {

    /** The tables as this reader sees them; called once for each verb. */
    abstract Tables look(String verb);

    static <R extends Record> Stream<R> all(Tables tables, Table<R> table) {
        return from(tables, table, new Key("", Long.MIN_VALUE, Long.MIN_VALUE, ""));
    }

    static <R extends Record> Stream<R> from(Tables tables, Table<R> table, Key key) {
        return StreamSupport.stream(tables.rows(table).ascending(key).spliterator(), false);
    }

    @Override
    public List<WordQuery.Found> find(WordQuery query) {
        Tables tables = look("find");
        return all(tables, Table.WORDS)
                .filter(row -> row.position() < query.before())
                .filter(row -> has(query, List.of(row.words().split(" "))))
                .filter(row -> tables.get(Table.SESSIONS, Key.of(row.sessionKey()))
                        .filter(s -> !s.deleted() && s.tenant().equals(query.tenant()))
                        .isPresent())
                .sorted(Comparator.comparingLong(IndexRow::position).reversed())
                .map(row -> new WordQuery.Found(row.position(), row.sessionKey(), row.seq()))
                .limit(query.limit())
                .toList();
    }

    private static boolean has(WordQuery query, List<String> words) {
        return words.containsAll(query.words())
                && query.beginnings().stream()
                        .allMatch(beginning -> words.stream().anyMatch(word -> word.startsWith(beginning)));
    }
}
