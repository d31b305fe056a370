package dev.holdfast.models;

import java.net.URI;

/**
 * A model's provider did not deliver an answer. The message names the address and what went wrong, and never contains the key; it becomes the
 * turn's error.
 */
public abstract sealed class ProviderException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProviderException(String message) {
        super(message);
    }

    ProviderException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether it may pass by itself: no connection, a broken one, too many requests, or an error of the provider's own. */
    public boolean isTransient() {
        return switch (this) {
            case Unreachable e -> true;
            case Cut e -> true;
            case Refused e -> mayPass(e.status());
            case Malformed e -> false;
            case Failed e -> false;
        };
    }

    static boolean mayPass(int status) {
        return status == 408 || status == 429 || status >= 500;
    }

    static boolean isTransient(Exception failure) {
        return failure instanceof ProviderException provider && provider.isTransient();
    }

    /** No connection, or no answer in time. */
    public static final class Unreachable extends ProviderException {
        private static final long serialVersionUID = 1L;

        Unreachable(URI url, Throwable cause) {
            super(
                    "%s cannot be reached (%s). Check the address and the network."
                            .formatted(plain(url), describe(cause)),
                    cause);
        }
    }

    /** The provider answered with an error status. */
    public static final class Refused extends ProviderException {
        private static final long serialVersionUID = 1L;
        private final int status;

        Refused(URI url, int status, String body) {
            super("%s answered with status %d%s%s"
                    .formatted(plain(url), status, advice(status), body.isBlank() ? "" : ": " + body.strip()));
            this.status = status;
        }

        public int status() {
            return status;
        }

        private static String advice(int status) {
            return switch (status) {
                case 401, 403 -> " (check the key)";
                case 404 -> " (check the base URL and the model)";
                case 503, 529 -> " (overloaded; it may help to try again later)";
                case 429 -> " (too many requests, or the quota is used up)";
                default -> "";
            };
        }
    }

    /** The stream ended before the provider said that the answer is complete. */
    public static final class Cut extends ProviderException {
        private static final long serialVersionUID = 1L;

        Cut(URI url) {
            super("%s ended the stream before the answer was complete.".formatted(plain(url)));
        }

        Cut(String message) {
            super(message);
        }

        Cut(URI url, Throwable cause) {
            super("The stream from %s broke off (%s).".formatted(plain(url), describe(cause)), cause);
        }
    }

    /** The provider sent what its API does not define, or more than is read. */
    public static final class Malformed extends ProviderException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }

        Malformed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The provider said within the stream that its run failed. */
    public static final class Failed extends ProviderException {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }

        Failed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The address without what may be secret: user and query. */
    private static String plain(URI url) {
        return url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort()) + url.getPath();
    }

    private static String describe(Throwable cause) {
        String message = cause.getMessage();
        return cause.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
}
