package dev.holdfast.session;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A message that was read before it is written: what the commit needs of its content is known, so that the committer's thread need not look
 * into it. Made by {@link SessionEngine#prepare} and {@link SessionEngine#prepareAnswer}.
 *
 * <p>For Holdfast's own packages.
 *
 * @param draft the message, without the binaries that were moved out of it
 * @param title the title that would be made of it, or null
 * @param words the words by which it is found
 * @param moved binaries to be stored with it
 * @param names ids of the attachments that it names
 * @param isAnswer whether a turn wrote it: then it is kept even if it names what is not there
 */
public record PreparedMessage(
        MessageDraft draft,
        @Nullable String title,
        String words,
        List<NewAttachment> moved,
        Set<String> names,
        boolean isAnswer) {

    static PreparedMessage of(MessageContents contents, String sessionId, MessageDraft draft, boolean isAnswer) {
        MessageContents.Parts parts = contents.take(sessionId, draft.content());
        String title = draft.role().equals(Titles.ROLE) ? Titles.of(parts.text()) : null;
        return new PreparedMessage(
                draft.withContent(parts.content()),
                title,
                Words.toIndex(parts.text()),
                parts.moved(),
                parts.names(),
                isAnswer);
    }

    /** The same, to go under this message. */
    public PreparedMessage under(String parent) {
        return new PreparedMessage(draft.under(parent), title, words, moved, names, isAnswer);
    }

    public PreparedMessage asRoot() {
        return new PreparedMessage(draft.asRoot(), title, words, moved, names, isAnswer);
    }

    /** What it brings to the store. */
    public int bytes() {
        long bytes = draft.content().length;
        for (NewAttachment attachment : moved) {
            bytes += attachment.bytes().length;
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }
}
