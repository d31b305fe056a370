package dev.holdfast.server;

import dev.holdfast.http.HttpListener;
import dev.holdfast.http.jetty.JettyServer;
import java.util.Optional;
import java.util.ServiceLoader;

/** The HTTP stacks that the server can listen with: Jetty, and what the class path provides. */
final class Listeners {

    static final String JETTY = "jetty";

    private Listeners() {}

    static Optional<HttpListener.Factory> named(String name) {
        if (name.equals(JETTY)) {
            return Optional.of(JettyServer::new);
        }
        return ServiceLoader.load(HttpListener.Provider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .map(HttpListener.Factory.class::cast);
    }
}
