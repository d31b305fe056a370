package dev.holdfast.http.jetty;

import dev.holdfast.http.HttpProblem;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/** A request's body that tells a client which sends nonsense, and is to be told so, from one that is gone. */
final class JettyBody extends FilterInputStream {

    JettyBody(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        try {
            return super.read();
        } catch (IOException | RuntimeException e) {
            throw meaning(e);
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        try {
            return super.read(into, offset, length);
        } catch (IOException | RuntimeException e) {
            throw meaning(e);
        }
    }

    private static IOException meaning(Exception e) {
        for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpException http && http.getCode() < 500) {
                throw HttpProblem.badRequest(
                        "The body does not come as its headers announce: %s. Check the client, or the proxy between."
                                .formatted(http.getReason()));
            }
        }
        return e instanceof IOException io ? io : new IOException(e);
    }
}
