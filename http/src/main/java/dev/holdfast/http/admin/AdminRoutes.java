package dev.holdfast.http.admin;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Routes that need no key: {@code /healthz} and what is at {@code /}, the web app or, where the server has none, a page that says what this is. */
public final class AdminRoutes {

    private final Health health;
    private final String version;
    private final Optional<Site> site;

    /** Without a web app. */
    public AdminRoutes(Health health, String version) {
        this(health, version, Optional.empty());
    }

    /** @param site the web app */
    public AdminRoutes(Health health, String version, Optional<Site> site) {
        this.health = health;
        this.version = version;
        this.site = site;
    }

    public void addTo(Router.Builder routes) {
        routes.addOpen("GET", "/healthz", health::answer);
        routes.addOpen("HEAD", "/healthz", health::answer);
        if (site.isPresent()) {
            site.get().addTo(routes);
        } else {
            routes.addOpen("GET", "/", this::page);
            routes.addOpen("HEAD", "/", this::page);
        }
    }

    private void page(Call call) throws IOException {
        String host = call.header("Host")
                .map(value -> value.toLowerCase(Locale.ROOT))
                .filter(value -> value.matches("[a-z0-9.:_\\[\\]-]{1,255}"))
                .orElseThrow(() -> HttpProblem.badRequest("The Host is not a host."));
        Answers.html(call.exchange(), template().replace("{{host}}", host).replace("{{version}}", version));
    }

    private static String template() throws IOException {
        try (InputStream in = AdminRoutes.class.getResourceAsStream("front-page.html")) {
            if (in == null) {
                throw new IllegalStateException("front-page.html is missing from the jar; rebuild it");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
