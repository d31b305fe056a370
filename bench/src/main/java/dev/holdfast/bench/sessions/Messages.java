package dev.holdfast.bench.sessions;

/** Takes the messages that come down one connection, one call for each. */
@FunctionalInterface
interface Messages {

    /** A message is {@code in[from, to)}, for the time of the call. */
    void message(byte[] in, int from, int to);
}
