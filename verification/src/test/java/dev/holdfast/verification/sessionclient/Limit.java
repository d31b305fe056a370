package dev.holdfast.verification.sessionclient;

/**
 * Counts the frames in the bytes of a connection, behind the head of its answer, and says where it is to stop: so many bytes behind the end of so many
 * frames. Owned by one thread.
 */
final class Limit {

    private final boolean webSocket;
    private int framesLeft;
    private int bytesLeft;
    private boolean inHead = true;
    private int last4;

    // Of a WebSocket's frame: bytes of its head that were read, and what is left of its body.
    private int headRead;
    private int lengthBytes;
    private long left;

    Limit(boolean webSocket, int frames, int bytes) {
        this.webSocket = webSocket;
        this.framesLeft = frames;
        this.bytesLeft = bytes;
    }

    /** How many of these bytes pass. */
    int passes(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (framesLeft == 0 && !inHead) {
                if (bytesLeft == 0) {
                    return i;
                }
                bytesLeft--;
            } else if (endsFrame(bytes[i] & 0xff)) {
                framesLeft--;
            }
        }
        return length;
    }

    private boolean endsFrame(int b) {
        last4 = last4 << 8 | b;
        if (inHead) {
            inHead = last4 != 0x0d0a0d0a;
            return false;
        }
        return webSocket ? endsWebSocketFrame(b) : (last4 & 0xffff) == 0x0a0a;
    }

    private boolean endsWebSocketFrame(int b) {
        if (headRead == 0) {
            headRead = 1;
            return false;
        }
        if (headRead == 1) {
            headRead = 2;
            int small = b & 0x7f;
            lengthBytes = small == 127 ? 8 : small == 126 ? 2 : 0;
            left = lengthBytes == 0 ? small : 0;
            return endIfEmpty();
        }
        if (lengthBytes > 0) {
            left = left << 8 | b;
            lengthBytes--;
            return endIfEmpty();
        }
        left--;
        return endIfEmpty();
    }

    private boolean endIfEmpty() {
        if (lengthBytes == 0 && left == 0) {
            headRead = 0;
            return true;
        }
        return false;
    }
}
