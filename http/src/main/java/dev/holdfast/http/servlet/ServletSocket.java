package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.Upgraded;

/** What a servlet exchange knows of its WebSocket, without a class of Jakarta WebSocket, which not every container has. */
interface ServletSocket {

    Upgraded upgraded();

    /** Answers the upgrade; the handler has returned. The parts begin when the socket is open, or will not be. */
    void open(HttpHandler parts);

    /** The exchange was aborted. Does not wait. */
    void cut();
}
