package dev.holdfast.session;

import dev.holdfast.stream.Names;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message to be written.
 *
 * @param id unique within the session, given by the caller: writing it again is recognised by it
 * @param role such as {@code user} or {@code assistant}
 * @param content opaque bytes, at most {@link SessionLimits#MAX_MESSAGE_BYTES}; not changed by the caller afterwards
 * @param placement where a new message goes; an existing one keeps its place
 * @param turnId the turn that writes it, told in the feed event; or null
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through; identity is the id
public record MessageDraft(
        String id,
        String role,
        byte[] content,
        Placement placement,
        @Nullable String turnId) {

    public MessageDraft {
        Names.check("message id", id);
        Names.check("role", role);
        if (placement instanceof Placement.Under under) {
            Names.check("parent's id", under.parent());
        }
        if (placement instanceof Placement.Beside beside) {
            Names.check("sibling's id", beside.sibling());
        }
        if (turnId != null) {
            Names.check("turn id", turnId);
        }
    }

    /** Where a new message goes in the tree. */
    public sealed interface Placement {

        /** Under the active leaf, or as the root of an empty session. */
        record UnderLeaf() implements Placement {}

        /** Under this message. If it has children already, a branch begins, and the new message is the active leaf. */
        record Under(String parent) implements Placement {}

        /** Beside this message, under the same parent: an edited version of it, which begins a branch. */
        record Beside(String sibling) implements Placement {}

        /** As a root of its own. */
        record Root() implements Placement {}
    }

    private static final Placement UNDER_LEAF = new Placement.UnderLeaf();
    private static final Placement ROOT = new Placement.Root();

    /** A message that goes under the active leaf. */
    public static MessageDraft of(String id, String role, byte[] content) {
        return new MessageDraft(id, role, content, UNDER_LEAF, null);
    }

    /** A message of text that goes under the active leaf. */
    public static MessageDraft of(String id, String role, String text) {
        return of(id, role, text.getBytes(StandardCharsets.UTF_8));
    }

    public MessageDraft under(String parent) {
        return new MessageDraft(id, role, content, new Placement.Under(parent), turnId);
    }

    /** Beside this message, under the same parent: for an edited version of it. */
    public MessageDraft beside(String sibling) {
        return new MessageDraft(id, role, content, new Placement.Beside(sibling), turnId);
    }

    public MessageDraft asRoot() {
        return new MessageDraft(id, role, content, ROOT, turnId);
    }

    MessageDraft withContent(byte[] bytes) {
        return new MessageDraft(id, role, bytes, placement, turnId);
    }

    public MessageDraft inTurn(String turn) {
        return new MessageDraft(id, role, content, placement, turn);
    }
}
