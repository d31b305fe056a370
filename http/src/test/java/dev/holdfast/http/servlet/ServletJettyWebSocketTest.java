package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpListener;
import dev.holdfast.http.WebSocket;
import dev.holdfast.http.WebSocketContract;

/** The contract of WebSockets, by the servlet binding in Jetty's container. */
final class ServletJettyWebSocketTest extends WebSocketContract {

    @Override
    protected HttpListener.Factory factory() {
        return ServletJetty::new;
    }

    @Override
    protected String mount() {
        return ServletJetty.MOUNT;
    }

    @Override
    protected int cut() {
        return WebSocket.COME_BACK;
    }
}
