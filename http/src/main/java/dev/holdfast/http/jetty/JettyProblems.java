package dev.holdfast.http.jetty;

import dev.holdfast.http.Answers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Problem;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** What Jetty refuses by itself, such as a malformed request line, in the shape of all other errors and in words that help. */
final class JettyProblems extends ErrorHandler {

    /** How a TLS greeting looks to a parser of HTTP. */
    private static final String TLS_GREETING = "0x16";

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus() >= 400 ? response.getStatus() : 500;
        Object message = request.getAttribute(ERROR_MESSAGE);
        Problem problem = problem(status, message == null ? "" : message.toString());
        response.getHeaders().put("Content-Type", Problem.MEDIA_TYPE);
        response.getHeaders().put("Cache-Control", "no-store");
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        if (request.getMethod() != null && request.getMethod().equals("HEAD")) {
            response.write(true, null, callback);
        } else {
            response.write(true, ByteBuffer.wrap(Answers.bytes(problem)), callback);
        }
        return true;
    }

    private static Problem problem(int status, String message) {
        String type = status < 500 || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505
                ? "malformed-request"
                : "internal-error";
        return Problem.of(status, type, HttpStatus.getMessage(status), detail(status, message));
    }

    private static String detail(int status, String message) {
        return switch (status) {
            case HttpStatus.URI_TOO_LONG_414 ->
                "The request line is too long: with the headers it may have at most %d bytes."
                        .formatted(HttpLimits.MAX_REQUEST_HEAD_BYTES);
            case HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                "The request line and the headers may have at most %d bytes together. Cookies are the usual cause."
                        .formatted(HttpLimits.MAX_REQUEST_HEAD_BYTES);
            case HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505 -> "This server speaks HTTP/1.1 and HTTP/2 (in clear text).";
            case HttpStatus.REQUEST_TIMEOUT_408 -> "The request did not come to its end in time.";
            case HttpStatus.BAD_REQUEST_400 -> malformed(message);
            default -> status < 500 && !message.isEmpty() ? message + "." : HttpStatus.getMessage(status) + ".";
        };
    }

    private static String malformed(String message) {
        if (message.contains(TLS_GREETING)) {
            return "This port speaks HTTP without TLS. Use http:// instead of https://, or put a proxy in front that ends TLS.";
        }
        String reason = message.isEmpty() ? "" : " (%s)".formatted(message);
        return "What came is no valid HTTP request%s. Check the client, or the proxy between it and this server."
                .formatted(reason);
    }
}
