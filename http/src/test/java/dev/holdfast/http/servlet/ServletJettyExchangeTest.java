package dev.holdfast.http.servlet;

import dev.holdfast.http.ExchangeContract;
import dev.holdfast.http.HttpListener;

/** The contract of exchanges, by the servlet binding in Jetty's container. */
final class ServletJettyExchangeTest extends ExchangeContract {

    @Override
    protected HttpListener.Factory factory() {
        return ServletJetty::new;
    }

    @Override
    protected String mount() {
        return ServletJetty.MOUNT;
    }
}
