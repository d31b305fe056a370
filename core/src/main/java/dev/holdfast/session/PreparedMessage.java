package dev.holdfast.session;

/**
 * A message that was read before it is written: what the commit needs of its content is known, so that the committer's thread need not look
 * into it. Made by {@link SessionEngine#prepare}.
 *
 * <p>For Holdfast's own packages.
 *
 * @param draft the message
 * @param text its text, as {@link MessageContents#text} gives it
 */
public record PreparedMessage(MessageDraft draft, String text) {

    static PreparedMessage of(MessageContents contents, String sessionId, MessageDraft draft) {
        return new PreparedMessage(draft, contents.text(draft.content()));
    }

    /** The same, to go under this message. */
    public PreparedMessage under(String parent) {
        return new PreparedMessage(draft.under(parent), text);
    }

    public PreparedMessage asRoot() {
        return new PreparedMessage(draft.asRoot(), text);
    }

    /** What it brings to the store. */
    public int bytes() {
        return draft.content().length;
    }
}
