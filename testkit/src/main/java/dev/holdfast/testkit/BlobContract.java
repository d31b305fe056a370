package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.message;
import static dev.holdfast.testkit.Samples.noise;
import static dev.holdfast.testkit.Samples.session;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.BlobRow;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The binaries that messages name: kept while one does, and counted in the transaction that changes the message. */
interface BlobContract extends ContractPart {

    private static BlobRow blob(long key, long session, String id, long expiresAt) {
        return new BlobRow(key, session, id, "image/png", "pic " + key, 3, 0, expiresAt, 900 + key);
    }

    /** The binaries {@code a} and {@code b} of session 1, and {@code a} of session 2. */
    private void blobs() {
        store().commit(t -> {
            t.insertSession(session(1, "s1"));
            t.insertSession(session(2, "s2"));
            t.insertBlob(blob(11, 1, "a", 5_000));
            t.insertBlobPiece(11, 0, bytes("abc"));
            t.insertBlob(blob(12, 1, "b", 4_000));
            t.insertBlobPiece(12, 0, bytes("bcd"));
            t.insertBlob(blob(21, 2, "a", 6_000));
            t.insertBlobPiece(21, 0, bytes("cde"));
        });
    }

    private void add(long session, long seq, String... ids) {
        store().commit(t -> {
            t.insertMessage(message(session, seq, 0, bytes("x")), bytes("x"));
            t.nameBlobs(session, seq, Set.copyOf(Arrays.asList(ids)));
        });
    }

    /** References and deadline of a binary. */
    private String stands(long key) {
        return reads().blob(key).map(b -> b.references() + "@" + b.expiresAt()).orElse("gone");
    }

    @Test
    default void a_binary_comes_back_with_every_column_and_piece() {
        BlobRow row = new BlobRow(7, 1, "+7", "text/plain; charset=utf-8", "nämé", 2_000_000, 0, 33, 44);
        byte[] first = noise(1 << 20);
        byte[] second = noise(951_424);
        store().commit(t -> {
            t.insertBlob(row);
            t.insertBlobPiece(7, 0, first);
        });
        store().commit(t -> t.insertBlobPiece(7, 1, second));

        store().restart();

        assertThat(reads().blob(7)).contains(row);
        assertThat(reads().blob(1, "+7")).contains(row);
        assertThat(reads().blobPiece(7, 0).orElseThrow()).isEqualTo(first);
        assertThat(reads().blobPiece(7, 1).orElseThrow()).isEqualTo(second);
        assertThat(reads().blobPiece(7, 2)).isEmpty();
        assertThat(reads().blobPiece(8, 0)).isEmpty();
        assertThat(reads().blob(2, "+7")).isEmpty();

        BlobRow named = new BlobRow(7, 1, "id", "image/png", null, 9, 0, 34, 45);
        store().commit(t -> t.updateBlob(named));

        assertThat(reads().blob(7)).contains(named);
        assertThat(reads().blob(1, "id")).contains(named);
        assertThat(reads().blob(1, "+7")).isEmpty();
        assertThat(reads().blobPiece(7, 1).orElseThrow()).isEqualTo(second);
    }

    @Test
    default void an_id_is_taken_in_its_session_only() {
        blobs();

        assertRefused(store().begin(), t -> t.insertBlob(blob(99, 1, "a", 1)));
    }

    @Test
    default void deleting_a_binary_takes_its_pieces_and_spares_others() {
        blobs();

        store().commit(t -> t.deleteBlob(11));

        assertThat(stands(11)).isEqualTo("gone");
        assertThat(reads().blobPiece(11, 0)).isEmpty();
        assertThat(reads().blobPiece(12, 0).orElseThrow()).isEqualTo(bytes("bcd"));
        assertThat(reads().blobPiece(21, 0).orElseThrow()).isEqualTo(bytes("cde"));
    }

    @Test
    default void deadlines_are_told_the_earliest_first() {
        assertThat(reads().nextBlobExpiry()).isZero();
        blobs();

        assertThat(reads().nextBlobExpiry()).isEqualTo(4_000);
        assertThat(reads().expiredBlobs(3_999, 10)).isEmpty();
        assertThat(reads().expiredBlobs(5_000, 10)).containsExactly(12L, 11L);
        assertThat(reads().expiredBlobs(9_000, 2)).containsExactly(12L, 11L);
    }

    @Test
    default void what_messages_name_is_counted_and_has_no_deadline() {
        blobs();
        add(1, 1, "a", "b");
        add(1, 2, "a");

        store().restart();

        assertThat(stands(11)).isEqualTo("2@0");
        assertThat(stands(12)).isEqualTo("1@0");
        assertThat(stands(21)).isEqualTo("0@6000");
        assertThat(reads().blobsOf(1, 1)).containsExactlyInAnyOrder("a", "b");
        assertThat(reads().blobsOf(1, 3)).isEmpty();

        store().commit(t -> t.nameBlobs(1, 1, Set.of("a", "b")));
        assertThat(stands(11)).isEqualTo("2@0");
    }

    @Test
    default void what_no_message_names_any_more_is_expired() {
        blobs();
        add(1, 1, "a", "b");
        add(1, 2, "a");

        store().commit(t -> t.nameBlobs(1, 1, Set.of("a")));
        assertThat(stands(12)).isEqualTo("0@" + BlobRow.EXPIRED);
        assertThat(reads().expiredBlobs(1_000, 10)).containsExactly(12L);

        store().commit(t -> t.deleteMessage(1, 1));
        assertThat(stands(11)).isEqualTo("1@0");
        store().commit(t -> t.deleteMessage(1, 2));
        assertThat(stands(11)).isEqualTo("0@" + BlobRow.EXPIRED);
        assertThat(reads().blobsOf(1, 2)).isEmpty();

        add(1, 3, "b");
        assertThat(stands(12)).isEqualTo("1@0");
    }

    @Test
    default void clearing_counts_every_message_and_spares_other_sessions() {
        blobs();
        for (int seq = 1; seq <= 5; seq++) {
            add(1, seq, "a", "b");
        }
        add(2, 1, "a");

        assertThat(alone().clearMessages(1, 3)).isEqualTo(3);
        assertThat(stands(11)).isEqualTo("2@0");
        assertThat(alone().clearMessages(1, 3)).isEqualTo(2);
        assertThat(stands(11)).isEqualTo("0@" + BlobRow.EXPIRED);
        assertThat(stands(12)).isEqualTo("0@" + BlobRow.EXPIRED);
        assertThat(stands(21)).isEqualTo("1@0");
    }

    @Test
    default void a_purged_session_leaves_no_binary_named_or_not() {
        blobs();
        add(1, 1, "a");
        int steps = 0;
        while (alone().purgeSession(1, 2) == 2) {
            assertThat(++steps).isLessThan(20);
        }

        assertThat(stands(11)).isEqualTo("gone");
        assertThat(stands(12)).isEqualTo("gone");
        assertThat(reads().blobPiece(11, 0)).isEmpty();
        assertThat(reads().blobPiece(12, 0)).isEmpty();
        assertThat(stands(21)).isEqualTo("0@6000");
    }

    @Test
    default void a_rolled_back_change_leaves_counts_and_pieces_as_they_were() {
        blobs();
        add(1, 1, "a");

        store().rollBack(t -> t.deleteMessage(1, 1));
        store().rollBack(t -> t.nameBlobs(1, 1, Set.of("b")));
        store().rollBack(t -> t.deleteBlob(12));
        store().rollBack(t -> {
            t.insertBlob(blob(13, 1, "c", 1));
            t.insertBlobPiece(13, 0, bytes("x"));
        });

        assertThat(stands(11)).isEqualTo("1@0");
        assertThat(stands(12)).isEqualTo("0@4000");
        assertThat(stands(13)).isEqualTo("gone");
        assertThat(reads().blobsOf(1, 1)).containsExactly("a");
        assertThat(reads().blobPiece(13, 0)).isEmpty();
    }
}
