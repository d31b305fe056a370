package dev.holdfast.uimessage;

import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.MessageContents;
import dev.holdfast.session.NewAttachment;
import dev.holdfast.session.SessionLimits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads contents that are messages of the AI SDK. Their text is that of their text parts, a line each. Their attachments are what their file
 * parts name; a file that is part of the message itself, as a {@code data:} URL of more than {@link UiLimits#MAX_INLINE_CHARS} characters, is moved
 * out, and its part names the attachment instead. A URL that is malformed, or too large for an attachment, stays as it is.
 *
 * <p>Contents that are not such messages, which other applications on the same store may have written, are read as {@linkplain
 * MessageContents#plain() plain text}. Takes time linear in the content. Thread-safe.
 */
public final class UiMessageContents implements MessageContents {

    private static final MessageContents PLAIN = MessageContents.plain();

    @Override
    public String text(byte[] content) {
        try {
            return text(UiMessage.parse(content));
        } catch (InvalidUiJson e) {
            return PLAIN.text(content);
        }
    }

    private static String text(UiMessage message) {
        StringBuilder text = new StringBuilder();
        for (UiPart part : message.parts()) {
            if (part instanceof UiPart.Text t) {
                if (!text.isEmpty()) {
                    text.append('\n');
                }
                text.append(t.text());
            }
        }
        return text.toString();
    }

    @Override
    public Parts take(String sessionId, byte[] content) {
        UiMessage message;
        try {
            message = UiMessage.parse(content);
        } catch (InvalidUiJson e) {
            return PLAIN.take(sessionId, content);
        }
        String prefix = AttachmentUrls.prefix(sessionId);
        List<UiPart> parts = new ArrayList<>();
        List<NewAttachment> moved = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (UiPart part : message.parts()) {
            Optional<NewAttachment> inline = isFile(part) ? inline(part) : Optional.empty();
            if (inline.isPresent()) {
                moved.add(inline.get());
                names.add(inline.get().id());
                parts.add(withUrl(part, prefix + inline.get().id()));
            } else {
                if (isFile(part)) {
                    part.text("url")
                            .flatMap(url -> AttachmentUrls.idBehind(prefix, url))
                            .ifPresent(names::add);
                }
                parts.add(part);
            }
        }
        byte[] stored = moved.isEmpty()
                ? content
                : new UiMessage(message.id(), message.role(), message.metadata(), parts, message.extra()).toBytes();
        return new Parts(stored, text(message), moved, names);
    }

    private static boolean isFile(UiPart part) {
        return part instanceof UiPart.File || part instanceof UiPart.ReasoningFile;
    }

    private static Optional<NewAttachment> inline(UiPart part) {
        return part.text("url")
                .filter(url -> url.length() > UiLimits.MAX_INLINE_CHARS)
                .flatMap(DataUrl::parse)
                .filter(data -> data.bytes().length <= SessionLimits.MAX_ATTACHMENT_BYTES)
                .map(data ->
                        NewAttachment.of(new AttachmentDraft(mediaType(part, data), filename(part)), data.bytes()));
    }

    private static String mediaType(UiPart part, DataUrl data) {
        return part.text("mediaType")
                .filter(AttachmentDraft::isMediaType)
                .or(() -> Optional.of(data.mediaType()).filter(AttachmentDraft::isMediaType))
                .orElse(AttachmentDraft.UNKNOWN_TYPE);
    }

    /** A name that no attachment can have is left out there; it stays in the message. */
    private static @Nullable String filename(UiPart part) {
        return part.text("filename").filter(AttachmentDraft::isFilename).orElse(null);
    }

    private static UiPart withUrl(UiPart part, String url) {
        ObjectNode json = part.json().deepCopy();
        json.put("url", url);
        return UiPart.of(json);
    }
}
