package dev.holdfast.bench.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Made-up chunks; the same in every run. */
final class Chunks {

    private static final long SEED = 1;

    private Chunks() {}

    static List<byte[]> of(int count, int bytes) {
        Random random = new Random(SEED);
        List<byte[]> chunks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] chunk = new byte[bytes];
            random.nextBytes(chunk);
            chunks.add(chunk);
        }
        return chunks;
    }
}
