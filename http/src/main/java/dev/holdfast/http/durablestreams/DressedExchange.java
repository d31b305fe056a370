package dev.holdfast.http.durablestreams;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Upgrade;
import java.io.IOException;
import java.io.InputStream;

/** An exchange whose response has the same fields whatever it answers, errors as well. */
record DressedExchange(Exchange inner, Headers.Block always) implements Exchange {

    @Override
    public RequestHead head() {
        return inner.head();
    }

    @Override
    public InputStream body() {
        return inner.body();
    }

    @Override
    public Sink respond(int status, Headers headers) {
        return inner.respond(status, headers.add(always));
    }

    @Override
    public void answer(int status, Headers headers, byte[] body) throws IOException {
        inner.answer(status, headers.add(always), body);
    }

    @Override
    public void goOnApart(Rest rest) throws IOException, InterruptedException {
        inner.goOnApart(rest);
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        inner.upgrade(upgrade);
    }

    @Override
    public boolean responding() {
        return inner.responding();
    }

    @Override
    public void abort() {
        inner.abort();
    }

    @Override
    public boolean gone() {
        return inner.gone();
    }
}
