package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.session.Attachment;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.uimessage.AttachmentUrls;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Files of a session: uploaded as they are, named by the messages, and served again. Bytes pass through a piece at a time, in both directions.
 *
 * <p>A file is served so that it can do nothing in the name of this server: under the type it was uploaded with, which no browser may guess
 * anew, in a sandbox, and to be saved unless it is of a kind that runs no scripts.
 */
public final class AttachmentRoutes {

    private static final int BUFFER_BYTES = 64 << 10;

    private static final Headers.Block SERVED = Headers.Block.of(
            "X-Content-Type-Options", "nosniff",
            "Content-Security-Policy", "sandbox; default-src 'none'",
            "Cache-Control", "private, max-age=31536000, immutable",
            "Accept-Ranges", "bytes");

    private final Access access;

    public AttachmentRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("POST", "/api/v1/sessions/{session}/attachments", this::upload);
        routes.add("GET", "/api/v1/sessions/{session}/attachments/{attachment}", this::download);
        routes.add("HEAD", "/api/v1/sessions/{session}/attachments/{attachment}", this::download);
    }

    private void upload(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        String type = call.header("Content-Type").orElse(AttachmentDraft.UNKNOWN_TYPE);
        AttachmentDraft draft =
                new AttachmentDraft(type, call.query().text("filename").orElse(null));
        checkDeclared(call);
        Attachment stored = session.attachments().put(draft, call.exchange().body());
        String url = AttachmentUrls.of(session.id(), stored.id());
        ObjectNode body = JsonViews.object();
        body.put("id", stored.id());
        body.put("url", url);
        body.put("mediaType", stored.mediaType());
        body.put("bytes", stored.bytes());
        body.put("filename", stored.filename());
        Answers.json(call.exchange(), 201, new Headers().set("Location", url), body);
    }

    /** Refuses what says itself that it is too large, before a byte of it is stored. */
    private static void checkDeclared(Call call) {
        Optional<String> declared = call.header("Content-Length");
        if (declared.isEmpty()) {
            return;
        }
        long bytes;
        try {
            bytes = Long.parseLong(declared.get());
        } catch (NumberFormatException e) {
            throw HttpProblem.badRequest("Content-Length is not a number.");
        }
        if (bytes > SessionLimits.MAX_ATTACHMENT_BYTES) {
            throw new LimitExceeded(
                    "MAX_ATTACHMENT_BYTES",
                    SessionLimits.MAX_ATTACHMENT_BYTES,
                    bytes,
                    "keep it elsewhere and send a link to it");
        }
    }

    private void download(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        String id = call.path("attachment");
        Attachment found = session.attachments().find(id).orElseThrow(() -> new AttachmentNotFound(session.id(), id));
        String tag = "\"" + found.id() + "\"";
        Headers headers = new Headers()
                .set("Content-Type", found.mediaType())
                .set("Content-Disposition", disposition(found))
                .set("ETag", tag)
                .add(SERVED);
        if (call.isKnown(tag)) {
            call.exchange().respond(304, headers);
            return;
        }
        if (call.exchange().head().method().equals("HEAD")) {
            headers.set("Content-Length", Long.toString(found.bytes()));
            call.exchange().respond(200, headers);
            return;
        }
        boolean sameAsBefore =
                call.header("If-Range").filter(given -> !given.equals(tag)).isEmpty();
        Optional<ByteRange> range = call.header("Range")
                .filter(given -> sameAsBefore)
                .flatMap(given -> ByteRange.parse(given, found.bytes()));
        if (range.isPresent() && range.get().isEmpty()) {
            headers.set("Content-Range", "bytes */" + found.bytes()).set("Content-Length", "0");
            call.exchange().respond(416, headers);
            return;
        }
        range.ifPresent(part ->
                headers.set("Content-Range", "bytes %d-%d/%d".formatted(part.from(), part.to() - 1, found.bytes())));
        ByteRange part = range.orElseGet(() -> new ByteRange(0, found.bytes()));
        headers.set("Content-Length", Long.toString(part.to() - part.from()));
        InputStream bytes = session.attachments().open(id, part.from(), part.to());
        byte[] buffer = new byte[BUFFER_BYTES];
        int count =
                bytes.read(buffer); // before the response begins, so that damage which shows at once is told as such
        Exchange.Sink sink = call.exchange().respond(range.isPresent() ? 206 : 200, headers);
        while (count > 0) {
            sink.write(buffer, 0, count);
            count = bytes.read(buffer);
        }
        sink.flush();
    }

    private static String disposition(Attachment attachment) {
        String name = attachment.filename() == null ? attachment.id() : attachment.filename();
        return isShown(attachment.mediaType()) ? Disposition.show(name) : Disposition.save(name);
    }

    private static boolean isShown(String mediaType) {
        int semicolon = mediaType.indexOf(';');
        String type = (semicolon < 0 ? mediaType : mediaType.substring(0, semicolon)).strip();
        boolean kind = type.startsWith("image/") || type.startsWith("audio/") || type.startsWith("video/");
        return (kind || type.equals("application/pdf")) && !type.contains("xml"); // SVG can hold scripts
    }
}
