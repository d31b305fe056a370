package dev.holdfast.testkit;

import dev.holdfast.store.BlobRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.WordQuery;
import dev.holdfast.testkit.Table.IndexRow;
import dev.holdfast.testkit.Table.NameRow;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reading what belongs to messages: their words, and the binaries that they name. */
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

    @Override
    public Optional<BlobRow> blob(long sessionKey, String id) {
        return all(look("blob"), Table.BLOBS)
                .filter(b -> b.sessionKey() == sessionKey && b.id().equals(id))
                .findFirst();
    }

    @Override
    public Optional<BlobRow> blob(long key) {
        return look("blob").get(Table.BLOBS, Key.of(key));
    }

    @Override
    public Optional<byte[]> blobPiece(long key, int piece) {
        return look("blobPiece")
                .get(Table.PIECES, Key.of(key, piece))
                .map(found -> found.bytes().clone());
    }

    @Override
    public Set<String> blobsOf(long sessionKey, long seq) {
        return named(look("blobsOf"), sessionKey, seq);
    }

    static Set<String> named(Tables tables, long sessionKey, long seq) {
        return from(tables, Table.NAMES, Key.of(sessionKey, seq))
                .takeWhile(n -> n.sessionKey() == sessionKey && n.seq() == seq)
                .map(NameRow::blob)
                .collect(Collectors.toSet());
    }

    @Override
    public List<Long> expiredBlobs(long now, int limit) {
        return all(look("expiredBlobs"), Table.BLOBS)
                .filter(b -> b.expiresAt() > 0 && b.expiresAt() <= now)
                .sorted(Comparator.comparingLong(BlobRow::expiresAt))
                .map(BlobRow::key)
                .limit(limit)
                .toList();
    }

    @Override
    public long nextBlobExpiry() {
        return all(look("nextBlobExpiry"), Table.BLOBS)
                .mapToLong(BlobRow::expiresAt)
                .filter(at -> at > 0)
                .min()
                .orElse(0);
    }
}
