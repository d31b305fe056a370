package dev.holdfast.http;

import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which requests are let in at all: a check of {@code Host} against DNS rebinding, of {@code Origin} so that no web page drives a local agent,
 * and of the API key. Immutable.
 *
 * @param tenant whom requests without a key belong to, where none is asked for
 * @param keys the API keys; if there are none, none is asked for
 * @param hosts host names that a request may carry besides those of the loopback, or {@code *} for any
 * @param origins origins of web pages, such as {@code https://app.example}, that may call besides the server's own
 */
public record Trust(String tenant, ApiKeys keys, Set<String> hosts, Set<String> origins) {

    /** Any host name. Sensible only with keys. */
    public static final String ANY_HOST = "*";

    public Trust {
        hosts = lower(hosts);
        origins = lower(origins);
    }

    /** A server that only this machine reaches. */
    public static Trust loopback(String tenant) {
        return new Trust(tenant, ApiKeys.none(), Set.of(), Set.of());
    }

    private static Set<String> lower(Set<String> texts) {
        return texts.stream().map(text -> text.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @throws HttpProblem 403 if the request was meant for another host
     */
    void checkHost(RequestHead head) {
        List<String> given = head.headers().all("Host");
        if (given.size() != 1) {
            throw HttpProblem.badRequest("A request carries exactly one Host.");
        }
        String host = withoutPort(given.getFirst().toLowerCase(Locale.ROOT));
        if (!isLoopback(host) && !hosts.contains(ANY_HOST) && !hosts.contains(host)) {
            throw HttpProblem.forbidden(
                    "wrong-host", "This server does not answer for the host \"%s\".".formatted(printable(host)));
        }
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("[::1]") || (host.startsWith("127.") && isAddress(host));
    }

    /** Four numbers of one to three digits. */
    private static boolean isAddress(String host) {
        int dots = 0;
        int digits = 0;
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c == '.' && digits > 0) {
                dots++;
                digits = 0;
            } else if (c >= '0' && c <= '9' && digits < 3) {
                digits++;
            } else {
                return false;
            }
        }
        return dots == 3 && digits > 0;
    }

    private static String withoutPort(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }

    /**
     * The origin of another site that is allowed to call, or empty if the request comes from none.
     *
     * @throws HttpProblem 403 if it comes from a site that is not allowed
     */
    Optional<String> foreignOrigin(RequestHead head) {
        List<String> given = head.headers().all("Origin");
        if (given.isEmpty()) {
            return Optional.empty();
        }
        String origin = given.getFirst();
        String lower = origin.toLowerCase(Locale.ROOT);
        String authority = head.header("Host").orElse("").toLowerCase(Locale.ROOT);
        if (given.size() == 1 && (lower.equals("http://" + authority) || lower.equals("https://" + authority))) {
            return Optional.empty();
        }
        if (given.size() == 1 && origins.contains(lower)) {
            return Optional.of(origin);
        }
        throw HttpProblem.forbidden(
                "wrong-origin", "Web pages of \"%s\" may not call this server.".formatted(printable(origin)));
    }

    /**
     * @throws HttpProblem 401 if a key is needed and there is none, or none of ours
     */
    Principal identify(RequestHead head) {
        if (keys.isEmpty()) {
            return Principal.anonymous(tenant);
        }
        return presented(head)
                .flatMap(keys::identify)
                .orElseThrow(() -> HttpProblem.unauthorized(
                        Handshake.isAsked(head)
                                ? "Send one of this server's API keys as \"Authorization: Bearer KEY\", or offer the subprotocol \"%sKEY\" with the key in base64url."
                                        .formatted(Handshake.KEY_PREFIX)
                                : "Send one of this server's API keys as \"Authorization: Bearer KEY\"."));
    }

    private static Optional<String> presented(RequestHead head) {
        return head.header("Authorization")
                .filter(value -> value.regionMatches(true, 0, "Bearer ", 0, 7))
                .map(value -> value.substring(7).strip())
                .or(() -> head.header("X-Api-Key"))
                .or(() -> Handshake.key(head));
    }

    private static String printable(String text) {
        String shortened = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return shortened.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
