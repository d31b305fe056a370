package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.BlobRow;
import dev.holdfast.store.StoreReads;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an attachment, a piece in memory at a time, checked against its id. Whoever reads it from its beginning gets its last piece once all of them
 * were found to be what was stored; a part of it begins after the whole was checked, unless this process did so before. One thread at a time.
 */
final class AttachmentStream extends InputStream {

    private static final int PIECE = SessionLimits.ATTACHMENT_PIECE_BYTES;

    private final Session session;
    private final BlobRow blob;
    private final CheckedAttachments checked;
    private final AttachmentId found;
    private final int last;
    private final long end;
    private final boolean whole;
    private boolean isChecked;
    private long at;
    private int loaded = -1;
    private byte[] piece = {};

    /**
     * @param from its first byte that is read
     * @param to behind the last one
     */
    AttachmentStream(Session session, BlobRow blob, CheckedAttachments checked, long from, long to) {
        this.session = session;
        this.blob = blob;
        this.checked = checked;
        this.found = new AttachmentId(blob.mediaType());
        this.last = (int) ((blob.bytes() - 1) / PIECE);
        this.at = from;
        this.end = to;
        this.whole = from == 0 && to == blob.bytes();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        if (at >= end) {
            return -1;
        }
        if (!whole && !isChecked) {
            if (!checked.contains(blob.key())) {
                checkAll();
            }
            isChecked = true;
        }
        load((int) (at / PIECE));
        int within = (int) (at % PIECE);
        int count = (int) Math.min(Math.min(length, piece.length - within), end - at);
        System.arraycopy(piece, within, into, offset, count);
        at += count;
        return count;
    }

    private void checkAll() throws IOException {
        for (int number = 0; number <= last; number++) {
            load(number);
            digest(number, piece);
        }
    }

    private void load(int number) throws IOException {
        if (number == loaded) {
            return;
        }
        byte[] read = session.read((reads, row) -> pieceOf(reads, number));
        if (read == null) {
            throw new IOException("The attachment " + blob.id() + " was deleted while it was read.");
        }
        if (whole) {
            digest(number, read);
        }
        piece = read;
        loaded = number;
    }

    private byte @Nullable [] pieceOf(StoreReads reads, int number) {
        byte[] read = reads.blobPiece(blob.key(), number).orElse(null);
        if (read == null) {
            if (reads.blob(blob.key()).isPresent()) {
                throw damaged("its piece " + number + " is missing");
            }
            return null;
        }
        long expected = Math.min(PIECE, blob.bytes() - (long) number * PIECE);
        if (read.length != expected) {
            throw damaged("its piece %d should be %d bytes, but %d are there".formatted(number, expected, read.length));
        }
        return read;
    }

    /** Takes the pieces in their order, and at the last one knows whether they are what was stored. */
    private void digest(int number, byte[] read) {
        found.add(read);
        if (number < last) {
            return;
        }
        String id = found.end();
        if (!id.equals(blob.id())) {
            session.<Boolean>read((reads, row) -> {
                throw damaged("its bytes are those of "
                        + id); // within a read, so that whoever watches over the store hears of it
            });
        }
        checked.add(blob.key());
    }

    private StoreDamaged damaged(String how) {
        return new StoreDamaged("The attachment %s of session \"%s\" is damaged: %s. Restore the store from a backup."
                .formatted(blob.id(), session.id(), how));
    }
}
