package dev.holdfast.http.servlet;

import dev.holdfast.http.ExchangeContract;
import dev.holdfast.http.HttpListener;

/** The contract of exchanges, by the servlet binding in Tomcat. */
final class TomcatExchangeTest extends ExchangeContract {

    @Override
    protected HttpListener.Factory factory() {
        return Tomcats::new;
    }

    @Override
    protected String mount() {
        return Tomcats.MOUNT;
    }
}
