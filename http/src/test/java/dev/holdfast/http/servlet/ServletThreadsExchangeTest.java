package dev.holdfast.http.servlet;

import dev.holdfast.http.ExchangeContract;
import dev.holdfast.http.HttpListener;

/** The contract of exchanges, by the servlet binding without asynchronous requests: answers on the container's own threads. */
final class ServletThreadsExchangeTest extends ExchangeContract {

    @Override
    protected HttpListener.Factory factory() {
        return ServletJetty::onItsOwnThreads;
    }

    @Override
    protected String mount() {
        return ServletJetty.MOUNT;
    }

    @Override
    protected boolean restsWithoutThread() {
        return false;
    }

    @Override
    protected int manyExchanges() {
        return 100; // the container's pool has 200 threads
    }
}
