package dev.holdfast.session;

import org.jspecify.annotations.Nullable;

/**
 * A message that was read before it is written: what the commit needs of its content is known, so that the committer's thread need not look
 * into it. Made by {@link SessionEngine#prepare}.
 *
 * <p>For Holdfast's own packages.
 *
 * @param draft the message
 * @param title the title that would be made of it, or null
 * @param words the words by which it is found
 */
public record PreparedMessage(MessageDraft draft, @Nullable String title, String words) {

    static PreparedMessage of(MessageContents contents, String sessionId, MessageDraft draft) {
        String text = contents.text(draft.content());
        String title = draft.role().equals(Titles.ROLE) ? Titles.of(text) : null;
        return new PreparedMessage(draft, title, Words.toIndex(text));
    }

    /** The same, to go under this message. */
    public PreparedMessage under(String parent) {
        return new PreparedMessage(draft.under(parent), title, words);
    }

    public PreparedMessage asRoot() {
        return new PreparedMessage(draft.asRoot(), title, words);
    }

    /** What it brings to the store. */
    public int bytes() {
        return draft.content().length;
    }
}
