package dev.holdfast.session;

import dev.holdfast.store.BlobRow;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The bytes of an attachment, a piece in memory at a time. One thread at a time. */
final class AttachmentStream extends InputStream {

    private static final int PIECE = SessionLimits.ATTACHMENT_PIECE_BYTES;

    private final Session session;
    private final BlobRow blob;
    private long at;
    private int loaded = -1;
    private byte[] piece = {};

    AttachmentStream(Session session, BlobRow blob, long from) {
        this.session = session;
        this.blob = blob;
        this.at = from;
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
        if (at >= blob.bytes()) {
            return -1;
        }
        load((int) (at / PIECE));
        int within = (int) (at % PIECE);
        int count = Math.min(length, piece.length - within);
        System.arraycopy(piece, within, into, offset, count);
        at += count;
        return count;
    }

    private void load(int number) throws IOException {
        if (number == loaded) {
            return;
        }
        piece = session.read((reads, row) -> reads.blobPiece(blob.key(), number))
                .orElseThrow(() -> new IOException("The attachment " + blob.id() + " was deleted while it was read."));
        long expected = Math.min(PIECE, blob.bytes() - (long) number * PIECE);
        if (piece.length != expected) {
            throw new IOException("A piece of the attachment %s should be %d bytes, but %d are there."
                    .formatted(blob.id(), expected, piece.length));
        }
        loaded = number;
    }
}
