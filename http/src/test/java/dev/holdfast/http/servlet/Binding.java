package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpListener;
import dev.holdfast.http.jetty.JettyServer;

/** The servers that routes are tested on. */
public enum Binding {
    JETTY("", JettyServer::new),
    SERVLET_IN_JETTY(ServletJetty.MOUNT, ServletJetty::new),
    SERVLET_IN_TOMCAT(Tomcats.MOUNT, Tomcats::new);

    private final String mount;
    private final HttpListener.Factory factory;

    Binding(String mount, HttpListener.Factory factory) {
        this.mount = mount;
        this.factory = factory;
    }

    /** The path below which it serves, without a slash at its end. */
    public String mount() {
        return mount;
    }

    public HttpListener.Factory factory() {
        return factory;
    }
}
