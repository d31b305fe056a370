package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpListener;
import dev.holdfast.http.WebSocket;
import dev.holdfast.http.WebSocketContract;

/** The contract of WebSockets, by the servlet binding in Tomcat. */
final class TomcatWebSocketTest extends WebSocketContract {

    @Override
    protected HttpListener.Factory factory() {
        return Tomcats::new;
    }

    @Override
    protected String mount() {
        return Tomcats.MOUNT;
    }

    @Override
    protected int cut() {
        return WebSocket.COME_BACK;
    }
}
