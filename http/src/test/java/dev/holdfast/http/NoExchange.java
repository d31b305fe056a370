package dev.holdfast.http;

import java.io.InputStream;

/** An exchange that nobody is on the other end of, for tests of what needs one and hardly uses it. Safe for any thread. */
public class NoExchange implements Exchange {

    public volatile boolean aborted;
    public volatile boolean gone;

    @Override
    public RequestHead head() {
        return new RequestHead("GET", "", "/", null, new Headers(), "HTTP/1.1", "http", "127.0.0.1", null);
    }

    @Override
    public InputStream body() {
        return InputStream.nullInputStream();
    }

    @Override
    public Sink respond(int status, Headers headers) {
        throw new IllegalStateException("nobody is there");
    }

    @Override
    public boolean responding() {
        return true;
    }

    @Override
    public void abort() {
        aborted = true;
    }

    @Override
    public boolean gone() {
        return gone || aborted;
    }
}
