package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpListener;
import dev.holdfast.http.jetty.JettyServer;

/** The servers that routes are tested on. */
public enum Binding {
    JETTY(""),
    SERVLET_IN_JETTY(ServletJetty.MOUNT),
    SERVLET_IN_TOMCAT(Tomcats.MOUNT);

    private final String mount;

    Binding(String mount) {
        this.mount = mount;
    }

    /** The path below which it serves, without a slash at its end. */
    public String mount() {
        return mount;
    }

    public HttpListener.Factory factory() {
        return switch (this) {
            case JETTY -> JettyServer::new;
            case SERVLET_IN_JETTY -> ServletJetty::new;
            case SERVLET_IN_TOMCAT -> Tomcats::new;
        };
    }
}
