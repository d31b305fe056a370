package dev.holdfast.examples;

import dev.holdfast.Holdfast;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamWriter;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The library in five lines: a stream that is durable chunk by chunk, and read again from any position. */
public final class FiveLines {

    private FiveLines() {}

    public static void main(String[] args) {
        run(
                Path.of(args.length == 0 ? "holdfast-data" : args[0]),
                new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }

    static void run(Path folder, PrintStream out) {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            StreamWriter answer = holdfast.streams().open("answer");
            answer.append("Hello, "); // on disk when it returns
            answer.append("again.\n");
            for (Chunk chunk : holdfast.streams().read("answer", 0, 1 << 20).chunks()) {
                out.print(chunk.text());
            }
        }
    }
}
