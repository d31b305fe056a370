package dev.holdfast.models;

import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.session.Attachment;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.AttachmentUrls;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Puts the bytes of attachments into the user's messages, where a provider could not fetch them: their addresses are paths of this server. What
 * does not fit {@link ModelLimits#MAX_ATTACHMENT_BYTES}, oldest first, and what is gone or damaged is named instead, so that the model
 * knows that there was a file.
 */
final class AttachedFiles {

    private final TurnContext turn;
    private long left = ModelLimits.MAX_ATTACHMENT_BYTES;

    AttachedFiles(TurnContext turn) {
        this.turn = turn;
    }

    /** Changes the messages in place; newest first, so that those get the room. */
    void putInto(List<UiMessage> messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            UiMessage message = messages.get(i);
            if (message.role().equals("user") && message.parts().stream().anyMatch(this::isAttached)) {
                messages.set(i, withBytes(message));
            }
        }
    }

    private boolean isAttached(UiPart part) {
        return id(part).isPresent();
    }

    private Optional<String> id(UiPart part) {
        return part instanceof UiPart.File file ? AttachmentUrls.idIn(turn.sessionId(), file.url()) : Optional.empty();
    }

    private UiMessage withBytes(UiMessage message) {
        List<UiPart> parts = new ArrayList<>();
        for (UiPart part : message.parts()) {
            parts.add(id(part).map(id -> withBytes(part, id)).orElse(part));
        }
        return new UiMessage(message.id(), message.role(), message.metadata(), parts, message.extra());
    }

    private UiPart withBytes(UiPart part, String id) {
        Optional<Attachment> found = turn.attachment(id).filter(attachment -> attachment.bytes() <= left);
        if (found.isEmpty()) {
            return named(part);
        }
        byte[] bytes;
        try (InputStream in = turn.openAttachment(id)) {
            bytes = in.readAllBytes();
        } catch (AttachmentNotFound | StoreDamaged | IOException e) {
            return named(part); // deleted meanwhile, or damaged, which is in the log
        }
        left -= bytes.length;
        ObjectNode json = part.json().deepCopy();
        String type = part.text("mediaType").orElse(found.get().mediaType());
        json.put("url", "data:" + type + ";base64," + Base64.getEncoder().encodeToString(bytes));
        return UiPart.of(json);
    }

    private static UiPart named(UiPart part) {
        String name = part.text("filename").orElse("a file");
        ObjectNode json = ModelJson.object();
        json.put("type", "text");
        json.put(
                "text",
                "[%s (%s) is not shown]".formatted(name, part.text("mediaType").orElse("of unknown type")));
        return UiPart.of(json);
    }
}
