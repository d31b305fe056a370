package dev.holdfast.uimessage;

import dev.holdfast.session.AttachmentId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The addresses under which the parts of messages name attachments: paths of the JSON API, without a host, so that they hold wherever it is served. */
public final class AttachmentUrls {

    private static final String SESSIONS = "/api/v1/sessions/";
    private static final String ATTACHMENTS = "/attachments/";

    private AttachmentUrls() {}

    /** The address of an attachment of a session. */
    public static String of(String sessionId, String attachmentId) {
        return prefix(sessionId) + attachmentId;
    }

    /** The id of the attachment of this session that an address names, if it does. */
    public static Optional<String> idIn(String sessionId, String url) {
        return idBehind(prefix(sessionId), url);
    }

    static Optional<String> idBehind(String prefix, String url) {
        return url.startsWith(prefix)
                ? Optional.of(url.substring(prefix.length())).filter(AttachmentId::isOne)
                : Optional.empty();
    }

    static String prefix(String sessionId) {
        String encoded = URLEncoder.encode(sessionId, StandardCharsets.UTF_8).replace("+", "%20");
        return SESSIONS + encoded + ATTACHMENTS;
    }
}
