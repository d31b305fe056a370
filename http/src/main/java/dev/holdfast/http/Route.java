package dev.holdfast.http;

import java.io.IOException;

/** Answers the calls of one route. */
@FunctionalInterface
public interface Route {
    void answer(Call call) throws IOException, InterruptedException;
}
