package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where webhooks may go: to public addresses over https, so that nobody can use this server to reach what only it can reach. A URL is checked
 * when a subscription is created; the addresses of its host are checked at each connection, which then goes to one of exactly those, so a name
 * that resolves to something else a moment later (DNS rebinding) gains nothing. Redirects are not followed. Immutable.
 *
 * @param local whether {@code http} to this machine is allowed
 * @param lookup resolves names
 */
record WebhookTargets(LocalWebhooks local, HostLookup lookup) {

    /** Finds the addresses of a name; the seam for tests. */
    @FunctionalInterface
    interface HostLookup {
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(.*\\.)?(\\d+|0[xX][0-9a-fA-F]*)\\.?");
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}");

    static HostLookup dns() {
        return host -> List.of(InetAddress.getAllByName(host));
    }

    /**
     * A URL that a subscription may be created with.
     *
     * @throws SubscriptionProblem if it is malformed, or leads where it may not
     */
    URI check(String url) {
        URI uri = parse(url);
        String host = host(uri);
        if (isLocalHttp(uri)) {
            return uri;
        }
        if (!"https".equalsIgnoreCase(uri.getScheme())) {
            throw rejected(
                    local == LocalWebhooks.ALLOWED
                            ? "It must be https, or http to localhost."
                            : "It must be https. (http to localhost is only allowed where the server listens on the loopback alone, or with the option for it.)");
        }
        if (host.equals("localhost") || host.endsWith(".localhost")) {
            throw rejected("It must not lead to this machine over https.");
        }
        if (isLiteral(host)) {
            InetAddress address = literal(host);
            if (!PublicAddresses.isPublic(address)) {
                throw rejected("It must not lead to a private, local or reserved address.");
            }
        }
        return uri;
    }

    /**
     * The addresses that a connection to a host may go to.
     *
     * @param host of a URL that was checked before
     * @throws UnknownHostException if the host has none, or one that is not allowed
     */
    List<InetAddress> addresses(String host) throws UnknownHostException {
        String name = unbracketed(host.toLowerCase(Locale.ROOT));
        List<InetAddress> addresses = lookup.addresses(name);
        boolean toThisMachine = local == LocalWebhooks.ALLOWED && isLocal(name);
        for (InetAddress address : addresses) {
            if (toThisMachine ? !address.isLoopbackAddress() : !PublicAddresses.isPublic(address)) {
                throw new UnknownHostException("\"%s\" has the address %s, where webhooks may not go."
                        .formatted(name, address.getHostAddress()));
            }
        }
        return addresses;
    }

    private boolean isLocalHttp(URI uri) {
        return local == LocalWebhooks.ALLOWED
                && "http".equalsIgnoreCase(uri.getScheme())
                && isLocal(unbracketed(host(uri)));
    }

    private static boolean isLocal(String host) {
        return host.equals("localhost")
                || host.equals("::1")
                || LOOPBACK.matcher(host).matches();
    }

    private static URI parse(String url) {
        if (url.length() > SubscriptionLimits.MAX_URL_CHARS) {
            throw rejected("It has more than %d characters.".formatted(SubscriptionLimits.MAX_URL_CHARS));
        }
        URI uri;
        try {
            uri = new URI(url).parseServerAuthority();
        } catch (URISyntaxException e) {
            throw rejected("It is no URL.");
        }
        if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
            throw rejected("It must have a host, and neither user nor fragment.");
        }
        if (uri.getPort() == 0 || uri.getPort() > 65_535) {
            throw rejected("Its port must be from 1 to 65535.");
        }
        return uri;
    }

    private static String host(URI uri) {
        return String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Whether a host is an address and no name; the short and hexadecimal spellings of IPv4 count. */
    private static boolean isLiteral(String host) {
        return host.startsWith("[") || ENDS_IN_NUMBER.matcher(host).matches();
    }

    private static InetAddress literal(String host) {
        if (!host.startsWith("[") && !DOTTED.matcher(host).matches()) {
            throw rejected("Its address must be spelled with four decimal numbers.");
        }
        if (host.indexOf('%') >= 0) {
            throw rejected("Its address must not have a zone.");
        }
        try {
            return InetAddress.getByName(unbracketed(host)); // an address: nothing is looked up
        } catch (UnknownHostException e) {
            throw rejected("Its host is no address.");
        }
    }

    private static SubscriptionProblem rejected(String why) {
        return new SubscriptionProblem(Code.WEBHOOK_URL_REJECTED, "webhook.url was rejected. " + why);
    }
}
