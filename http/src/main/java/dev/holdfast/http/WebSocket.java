package dev.holdfast.http;

import java.io.IOException;

/**
 * The sending side of an open WebSocket; what comes is given to {@link WebSocketRest#receive}. Nothing is sent by itself but the answers to
 * pings and to a close. Any thread; messages of several threads leave one after the other, each of them whole.
 */
public interface WebSocket {

    /** The client has all that it was to get. */
    int NORMAL = 1000;

    /** What came was no text. */
    int NOT_TEXT = 1003;

    /** What came said it was text, and is no UTF-8. */
    int NOT_UTF8 = 1007;

    /** What came breaks a rule of the application. */
    int POLICY = 1008;

    /** What came is larger than was agreed. */
    int TOO_LARGE = 1009;

    /** A defect of the server. */
    int DEFECT = 1011;

    /** The client may come back at once. */
    int COME_BACK = 1012;

    /** The client may come back later. */
    int OVERLOADED = 1013;

    /**
     * Sends a text message and returns when the operating system has it. A client that takes nothing holds up the threads that send to it and
     * nobody else, until it is given up ({@link HttpLimits#idleTimeout}).
     *
     * @param utf8 the text; not changed afterwards
     * @throws IOException if the client is gone, the exchange was aborted, or {@link #close} was called. A message that was begun and not
     *     finished, also because of an interrupt, has aborted the exchange
     */
    void sendText(byte[] utf8) throws IOException;

    /**
     * Says that nothing more is sent, and why: a close frame behind what was sent before. Does not wait. From now on the exchange counts as
     * {@link Exchange#gone() gone}, and what still comes is dropped; a client that does not close its side in
     * {@link HttpLimits#WEBSOCKET_CLOSE} is cut. Harmless when repeated or too late.
     *
     * @param code one of the codes above, or from 3000 to 4999
     * @param reason for whoever looks at the client; cut to 123 bytes
     */
    void close(int code, String reason);
}
