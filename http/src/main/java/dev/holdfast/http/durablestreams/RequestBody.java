package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.HttpProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads a request's body, whether its length is known or it comes in pieces, within the limits of one request and of all together. */
final class RequestBody {

    /** How much of a body of unknown length is asked for at once. */
    private static final int PIECE_BYTES = 16 << 10;

    /** How much of a body that is refused for its size is still taken from the client, which may listen only once it has sent all. */
    private static final long MAX_DISCARDED_BYTES = 64L << 20;

    private RequestBody() {}

    /**
     * @param share takes the bytes that are read, before they are
     * @throws HttpProblem 413 if there is more than the limit; 429 if all requests together hold too much; 400 if it ends early
     */
    static byte[] read(Exchange exchange, int maxBytes, InFlight.Share share) throws IOException {
        String declared = exchange.head().value("Content-Length");
        if (declared == null) {
            return readToEnd(exchange.body(), maxBytes, share);
        }
        long length = Numbers.parse(declared, 18);
        if (length < 0) {
            throw HttpProblem.badRequest("Content-Length is not a number.");
        }
        if (length > maxBytes) {
            if (exchange.head().value("Expect") == null) {
                discard(exchange.body());
            }
            throw HttpProblem.bodyTooLarge(maxBytes);
        }
        if (length == 0) {
            return Wire.NOTHING;
        }
        return readDeclared(exchange.body(), (int) length, share);
    }

    /** What is declared is taken as it arrives, or those who send nothing could keep everybody else out. */
    private static byte[] readDeclared(InputStream in, int length, InFlight.Share share) throws IOException {
        byte[] body = new byte[Math.min(length, PIECE_BYTES)];
        share.take(body.length);
        int size = 0;
        while (true) {
            size += in.readNBytes(body, size, body.length - size);
            if (size < body.length) {
                throw HttpProblem.badRequest("The body ended before its length.");
            }
            if (size == length) {
                return body;
            }
            int next = (int) Math.min(length, 2L * size);
            share.take(next - size);
            body = Arrays.copyOf(body, next);
        }
    }

    private static byte[] readToEnd(InputStream in, int maxBytes, InFlight.Share share) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(0);
        byte[] piece = new byte[PIECE_BYTES];
        while (true) {
            int read = in.read(piece);
            if (read < 0) {
                return body.toByteArray();
            }
            if (body.size() + read > maxBytes) {
                discard(in);
                throw HttpProblem.bodyTooLarge(maxBytes);
            }
            share.take(read);
            body.write(piece, 0, read);
        }
    }

    private static void discard(InputStream in) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long left = MAX_DISCARDED_BYTES;
        for (int read = in.read(piece); read >= 0 && left > 0; read = in.read(piece)) {
            left -= read;
        }
    }
}
