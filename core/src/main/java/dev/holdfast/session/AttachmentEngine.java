package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.store.BlobRow;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.stream.StreamEngine;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The operations on attachments that a command can combine with others into one transaction.
 *
 * <p><b>What holds.</b> A message that names an attachment of its session is committed together with the reference to it; what is referred to
 * is not deleted. What no message names is deleted after its deadline: an upload {@link SessionLimits#UNUSED_ATTACHMENT_LIFE} after it began,
 * anything that was named as soon as it is no more. An upload is a row from its first piece on, under an id that nobody can name, so that one
 * that never ends is reclaimed as well.
 *
 * <p>Belongs to the committer's thread, inside a command.
 */
final class AttachmentEngine {

    private static final int PIECE = SessionLimits.ATTACHMENT_PIECE_BYTES;

    private final StreamEngine streams;
    private final ExpiryUpkeep upkeep;
    private final CheckedAttachments checked = new CheckedAttachments();

    AttachmentEngine(StreamEngine streams, ExpiryUpkeep upkeep) {
        this.streams = streams;
        this.upkeep = upkeep;
    }

    /** The ones that were found whole. Any thread. */
    CheckedAttachments checked() {
        return checked;
    }

    /** Stores one that is whole already, or finds it. */
    BlobRow put(CommitScope scope, SessionRow session, NewAttachment attachment) {
        Optional<BlobRow> found = scope.reads().blob(session.key(), attachment.id());
        if (found.isPresent()) {
            return kept(scope, found.get());
        }
        BlobRow row = row(scope, session, attachment.draft(), attachment.id(), attachment.bytes().length);
        scope.writes().insertBlob(row);
        int piece = 0;
        for (int from = 0; from < attachment.bytes().length; from += PIECE) {
            int to = Math.min(attachment.bytes().length, from + PIECE);
            scope.writes().insertBlobPiece(row.key(), piece++, Arrays.copyOfRange(attachment.bytes(), from, to));
        }
        upkeep.arm(scope);
        return row;
    }

    private BlobRow row(CommitScope scope, SessionRow session, AttachmentDraft draft, String id, long bytes) {
        long key = streams.nextKey(scope);
        return new BlobRow(
                key,
                session.key(),
                id.isEmpty() ? "+" + key : id,
                draft.mediaType(),
                draft.filename(),
                bytes,
                0,
                deadline(scope),
                scope.now());
    }

    private static long deadline(CommitScope scope) {
        return scope.now() + SessionLimits.UNUSED_ATTACHMENT_LIFE.toMillis();
    }

    /** It was asked for once more, so it lives on like a new one. */
    private static BlobRow kept(CommitScope scope, BlobRow row) {
        if (row.references() > 0) {
            return row;
        }
        BlobRow longer = row.expiring(deadline(scope));
        scope.writes().updateBlob(longer);
        return longer;
    }

    /** Begins an upload with its first piece. Returns its key. */
    long begin(CommitScope scope, SessionRow session, AttachmentDraft draft, byte[] piece) {
        BlobRow row = row(scope, session, draft, "", 0);
        scope.writes().insertBlob(row);
        scope.writes().insertBlobPiece(row.key(), 0, piece);
        upkeep.arm(scope);
        return row.key();
    }

    void add(CommitScope scope, SessionRow session, long key, int piece, byte[] bytes) {
        BlobRow unused = uploading(scope, session, key);
        scope.writes().insertBlobPiece(key, piece, bytes);
    }

    /** Ends an upload: it has its id from now on, unless it is there already. */
    BlobRow end(CommitScope scope, SessionRow session, long key, String id, long bytes) {
        BlobRow row = uploading(scope, session, key);
        Optional<BlobRow> found = scope.reads().blob(session.key(), id);
        if (found.isPresent()) {
            scope.writes().deleteBlob(key);
            return kept(scope, found.get());
        }
        BlobRow complete = row.complete(id, bytes).expiring(deadline(scope));
        scope.writes().updateBlob(complete);
        return complete;
    }

    /** Gives an upload up. */
    void abandon(CommitScope scope, SessionRow session, long key) {
        scope.reads()
                .blob(key)
                .filter(row -> row.sessionKey() == session.key() && !AttachmentId.isOne(row.id()))
                .ifPresent(row -> scope.writes().deleteBlob(key));
    }

    private static BlobRow uploading(CommitScope scope, SessionRow session, long key) {
        return scope.reads()
                .blob(key)
                .filter(row -> row.sessionKey() == session.key() && !AttachmentId.isOne(row.id()))
                .orElseThrow(() -> new AttachmentNotFound(session.id(), "that is being uploaded"));
    }

    /** A new message names these. */
    void added(CommitScope scope, SessionRow session, MessageRow row, PreparedMessage message) {
        if (!message.names().isEmpty()) {
            name(scope, session, row, message);
        }
    }

    /** A message has another content. */
    void updated(CommitScope scope, SessionRow session, MessageRow row, PreparedMessage message) {
        boolean any = !message.names().isEmpty()
                || !scope.reads().blobsOf(row.sessionKey(), row.seq()).isEmpty();
        if (any) {
            name(scope, session, row, message);
            upkeep.arm(scope);
        }
    }

    private void name(CommitScope scope, SessionRow session, MessageRow row, PreparedMessage message) {
        message.moved().forEach(attachment -> put(scope, session, attachment));
        Set<String> present = new HashSet<>();
        for (String id : message.names()) {
            if (scope.reads().blob(session.key(), id).isPresent()) {
                present.add(id);
            } else if (!message.isAnswer()) {
                throw new AttachmentNotFound(session.id(), id);
            }
        }
        scope.writes().nameBlobs(row.sessionKey(), row.seq(), present);
    }

    /** Messages were deleted. */
    void freed(CommitScope scope) {
        upkeep.arm(scope);
    }
}
