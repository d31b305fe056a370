package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.BlobRow;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Optional;

/**
 * The binaries of one session. An attachment is stored once, however often it is put or named; it lives as long as a message names it, and
 * {@linkplain SessionLimits#UNUSED_ATTACHMENT_LIFE for a while} before the first one does. It is deleted with its session.
 *
 * <p>Thread-safe. What a method wrote is durable when it returns. Methods wait for the disk; call them from virtual threads or threads that
 * may block.
 */
public final class Attachments {

    private final Session session;

    Attachments(Session session) {
        this.session = session;
    }

    /**
     * Stores an attachment as its bytes arrive, a piece at a time; no more than a piece is ever in memory. The same again is found.
     *
     * @param bytes read to its end, not closed
     * @throws LimitExceeded if there are more than {@link SessionLimits#MAX_ATTACHMENT_BYTES}; nothing is kept
     * @throws IOException if the bytes end in a failure; nothing is kept
     */
    public Attachment put(AttachmentDraft draft, InputStream bytes) throws IOException {
        byte[] first = bytes.readNBytes(SessionLimits.ATTACHMENT_PIECE_BYTES);
        return first.length < SessionLimits.ATTACHMENT_PIECE_BYTES
                ? put(NewAttachment.of(draft, first))
                : upload(draft, first, bytes);
    }

    private Attachment put(NewAttachment attachment) {
        return session.execute(
                new AttachmentCalls.Put(session.row(), attachment),
                attachment.bytes().length,
                (engine, scope, row) -> Attachment.of(engine.attachments().put(scope, row, attachment)));
    }

    private Attachment upload(AttachmentDraft draft, byte[] first, InputStream bytes) throws IOException {
        long key = begin(draft, first);
        boolean ended = false;
        try {
            AttachmentId id = new AttachmentId(draft.mediaType()).add(first);
            long size = first.length;
            int pieces = 1;
            byte[] piece = bytes.readNBytes(SessionLimits.ATTACHMENT_PIECE_BYTES);
            while (piece.length > 0) {
                size += piece.length;
                checkSize(size);
                boolean unused = add(key, pieces++, piece);
                id.add(piece);
                piece = bytes.readNBytes(SessionLimits.ATTACHMENT_PIECE_BYTES);
            }
            Attachment attachment = end(key, id.end(), size);
            ended = true;
            return attachment;
        } finally {
            if (!ended) {
                giveUp(key);
            }
        }
    }

    private static void checkSize(long size) {
        if (size > SessionLimits.MAX_ATTACHMENT_BYTES) {
            throw new LimitExceeded(
                    "MAX_ATTACHMENT_BYTES",
                    SessionLimits.MAX_ATTACHMENT_BYTES,
                    size,
                    "keep it elsewhere and send a link to it");
        }
    }

    /** If that fails too, it is deleted at its deadline. */
    private void giveUp(long key) {
        try {
            boolean unused = abandon(key);
        } catch (HoldfastException e) {
            // what failed before is told
        }
    }

    long begin(AttachmentDraft draft, byte[] first) {
        return session.execute(
                new AttachmentCalls.Begin(session.row(), draft, first),
                first.length,
                (engine, scope, row) -> engine.attachments().begin(scope, row, draft, first));
    }

    boolean add(long key, int number, byte[] piece) {
        return session.execute(
                new AttachmentCalls.Add(session.row(), key, number, piece), piece.length, (engine, scope, row) -> {
                    engine.attachments().add(scope, row, key, number, piece);
                    return true;
                });
    }

    Attachment end(long key, String id, long size) {
        return session.execute(
                new AttachmentCalls.End(session.row(), key, id, size),
                0,
                (engine, scope, row) -> Attachment.of(engine.attachments().end(scope, row, key, id, size)));
    }

    boolean abandon(long key) {
        return session.execute(new AttachmentCalls.Abandon(session.row(), key), 0, (engine, scope, row) -> {
            engine.attachments().abandon(scope, row, key);
            return true;
        });
    }

    Attachment putWhole(NewAttachment attachment) {
        return put(attachment);
    }

    /** The attachment that has this id. */
    public Optional<Attachment> find(String id) {
        return AttachmentId.isOne(id)
                ? session.read((reads, row) -> reads.blob(row.key(), id)).map(Attachment::of)
                : Optional.empty();
    }

    /**
     * Its bytes. They are read a piece at a time, and the last piece is given once all of them were found to be what was stored: reading fails with
     * {@link StoreDamaged} if they are not, and with {@code IOException} if the attachment is deleted meanwhile.
     *
     * @throws AttachmentNotFound if there is none
     */
    public InputStream open(String id) {
        BlobRow blob = blob(id);
        return new AttachmentStream(session, blob, checked(), 0, blob.bytes());
    }

    /**
     * A part of its bytes, read as {@link #open(String)} does. The first read of a part looks at all of the attachment, unless this process did so before.
     *
     * @param from its first byte, 0 to the attachment's size
     * @param to behind its last byte, from there to the attachment's size
     * @throws AttachmentNotFound if there is none
     * @throws IndexOutOfBoundsException if it has no such part
     */
    public InputStream open(String id, long from, long to) {
        BlobRow blob = blob(id);
        Objects.checkFromToIndex(from, to, blob.bytes());
        return new AttachmentStream(session, blob, checked(), from, to);
    }

    private BlobRow blob(String id) {
        Optional<BlobRow> found =
                AttachmentId.isOne(id) ? session.read((reads, row) -> reads.blob(row.key(), id)) : Optional.empty();
        return found.orElseThrow(() -> new AttachmentNotFound(session.id(), id));
    }

    private CheckedAttachments checked() {
        return session.onEngine(engine -> engine.attachments().checked());
    }
}
