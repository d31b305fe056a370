package dev.holdfast.server;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.durablestreams.DurableStreamsSettings.Origins;
import dev.holdfast.http.durablestreams.subscriptions.LocalWebhooks;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionSettings;
import dev.holdfast.stream.Retention;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code serve} that are about the Durable Streams protocol. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class StreamWireOptions {

    private static final int MAX_LONG_POLL_MILLIS = 300_000;

    @Option(
            names = "--stream-mount",
            paramLabel = "PATH",
            defaultValue = DurableStreamsSettings.DEFAULT_PREFIX,
            description = "Path below which the Durable Streams protocol is served (default: ${DEFAULT-VALUE}).")
    String mount;

    @Option(
            names = "--stream-origins",
            paramLabel = "WHOSE",
            defaultValue = "any",
            description =
                    "Whose web pages may call below that path: ${COMPLETION-CANDIDATES}; listed is as --allow-origin says (default: ${DEFAULT-VALUE}).")
    Pages origins;

    @Option(
            names = "--proxy-headers",
            paramLabel = "WHICH",
            defaultValue = "none",
            converter = ProxyHeadersConverter.class,
            description =
                    "Header fields, set by a proxy on every request, that tell at which address clients reach this server: none, x-forwarded or forwarded (default: ${DEFAULT-VALUE}).")
    ProxyHeaders proxy;

    @Option(
            names = "--long-poll-ms",
            paramLabel = "MILLIS",
            defaultValue = "30000",
            description = "How long a long-poll waits, in milliseconds (default: ${DEFAULT-VALUE}).")
    int longPollMillis;

    @Option(
            names = "--stream-rotate-after",
            paramLabel = "DURATION",
            defaultValue = "60s",
            converter = Durations.class,
            description =
                    "Age at which an event stream of the protocol ends so that its client comes back; 0 for never (default: ${DEFAULT-VALUE}).")
    Duration rotateAfter;

    @Option(
            names = "--local-webhooks",
            paramLabel = "WHETHER",
            defaultValue = "auto",
            description =
                    "Whether webhooks of subscriptions may go to http://localhost: ${COMPLETION-CANDIDATES}; auto is yes while only this machine reaches the server (default: ${DEFAULT-VALUE}).")
    Local localWebhooks;

    /** Whether webhooks may go to this machine. */
    enum Local {
        auto,
        yes,
        no
    }

    @Option(
            names = "--webhook-key-age",
            paramLabel = "DURATION",
            defaultValue = "0",
            converter = Durations.class,
            description =
                    "Age at which the key that signs webhooks is replaced, at least 1d; 0 for never (default: ${DEFAULT-VALUE}).")
    Duration webhookKeyAge;

    @Option(
            names = "--stream-max-age",
            paramLabel = "DURATION",
            defaultValue = "0",
            converter = Durations.class,
            description =
                    "How long chunks are kept of streams that are created without a wish of their own; 0 for ever (default: ${DEFAULT-VALUE}).")
    Duration maxAge;

    @Option(
            names = "--stream-max-bytes",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "How many bytes are kept of them; 0 for all (default: ${DEFAULT-VALUE}).")
    long maxBytes;

    /** Whose web pages may call. */
    enum Pages {
        any,
        listed
    }

    /**
     * @throws ParameterException if the options make no sense
     */
    DurableStreamsSettings settings(CommandLine commandLine, Duration heartbeat) {
        if (longPollMillis < 1 || longPollMillis > MAX_LONG_POLL_MILLIS) {
            throw new ParameterException(
                    commandLine,
                    "--long-poll-ms is a number from 1 to %d; got %d.".formatted(MAX_LONG_POLL_MILLIS, longPollMillis));
        }
        return DurableStreamsSettings.defaults()
                .withPrefix(prefix(commandLine))
                .withLongPoll(Duration.ofMillis(longPollMillis))
                .withKeepAlive(heartbeat)
                .withRotateAfter(rotateAfter)
                .withOrigins(origins == Pages.any ? Origins.ANY : Origins.LISTED)
                .withProxy(proxy)
                .withRetention(retention(commandLine));
    }

    /** {@code x-forwarded} is {@link ProxyHeaders#X_FORWARDED}. */
    static final class ProxyHeadersConverter implements ITypeConverter<ProxyHeaders> {
        @Override
        public ProxyHeaders convert(String value) {
            for (ProxyHeaders each : ProxyHeaders.values()) {
                if (each.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(value)) {
                    return each;
                }
            }
            throw new TypeConversionException("expected none, x-forwarded or forwarded but was '%s'".formatted(value));
        }
    }

    private @Nullable Retention retention(CommandLine commandLine) {
        if (maxAge.isZero() && maxBytes == 0) {
            return null;
        }
        Retention kept = new Retention(maxAge.isZero() ? null : maxAge, maxBytes);
        try {
            kept.check();
        } catch (HoldfastException e) {
            throw new ParameterException(commandLine, "--stream-max-age, --stream-max-bytes: " + e.getMessage(), e);
        }
        return kept;
    }

    /**
     * How subscriptions behave.
     *
     * @param loopback whether only this machine reaches the server
     */
    SubscriptionSettings subscriptions(CommandLine commandLine, String tenant, boolean loopback) {
        boolean local = localWebhooks == Local.yes || (localWebhooks == Local.auto && loopback);
        try {
            return SubscriptionSettings.defaults(tenant, prefix(commandLine))
                    .withLocalWebhooks(local ? LocalWebhooks.ALLOWED : LocalWebhooks.REFUSED)
                    .withKeyAge(webhookKeyAge);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(commandLine, "--webhook-key-age: " + e.getMessage(), e);
        }
    }

    private String prefix(CommandLine commandLine) {
        if (!mount.matches("(/[A-Za-z0-9._~-]+)+") || mount.startsWith("/api/")) {
            throw new ParameterException(
                    commandLine,
                    "--stream-mount is a path such as /v1/stream, of plain segments and not below /api; got \"%s\"."
                            .formatted(mount));
        }
        return mount;
    }
}
