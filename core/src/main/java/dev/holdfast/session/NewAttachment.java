package dev.holdfast.session;

/**
 * An attachment that is whole.
 *
 * @param draft what is known beside its bytes
 * @param bytes at most {@link SessionLimits#MAX_ATTACHMENT_BYTES}; not changed afterwards
 * @param id as {@link AttachmentId#of} makes it
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through; identity is the id
public record NewAttachment(AttachmentDraft draft, byte[] bytes, String id) {

    public static NewAttachment of(AttachmentDraft draft, byte[] bytes) {
        return new NewAttachment(draft, bytes, AttachmentId.of(draft.mediaType(), bytes));
    }
}
