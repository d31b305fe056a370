package dev.holdfast.store.postgres;

import dev.holdfast.store.Varint;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one notification says, as text of less than 8,000 bytes: numbers of seven bits a byte, keys as distances, in Base64.
 *
 * <p>What does not fit is said less exactly, never left out: first the shards with the most keys stand for all of their keys; if even the
 * shards are too many, {@code everything} may have changed.
 *
 * @param origin which process says so
 * @param everything whether hints had to be left out
 * @param leases whether leases changed hands, or nodes came or left
 * @param letters nodes that may have letters
 * @param changes keys by shard, sorted; none stands for any
 */
record Hints(long origin, boolean everything, boolean leases, List<Long> letters, Map<Integer, long[]> changes) {

    private static final int VERSION = 1;

    // Flags.
    private static final int EVERYTHING = 1;
    private static final int LEASES = 2;

    String encode() {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(VERSION);
        varint(head, origin);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean overflow = everything;
        varint(body, letters.size());
        letters.forEach(node -> varint(body, node));
        Map<Integer, byte[]> shards = new HashMap<>();
        changes.forEach((shard, keys) -> shards.put(shard, shard(shard, keys)));
        if (!fit(shards, CoordinationLimits.MAX_HINT_BYTES - head.size() - body.size() - 2 * Integer.BYTES)) {
            overflow = true;
            body.reset();
            varint(body, 0);
            shards.clear();
        }
        head.write((overflow ? EVERYTHING : 0) | (leases ? LEASES : 0));
        head.writeBytes(body.toByteArray());
        varint(head, shards.size());
        shards.values().forEach(head::writeBytes);
        return Base64.getEncoder().withoutPadding().encodeToString(head.toByteArray());
    }

    /** The hints of a payload, or empty if another program made it. */
    static Optional<Hints> decode(String payload) {
        try {
            Numbers in = new Numbers(Base64.getDecoder().decode(payload));
            if (in.next() != VERSION) {
                return Optional.empty();
            }
            long origin = in.next();
            long flags = in.next();
            boolean everything = (flags & EVERYTHING) != 0;
            boolean leases = (flags & LEASES) != 0;
            List<Long> letters = new ArrayList<>();
            for (int left = in.count(); left > 0; left--) {
                letters.add(in.next());
            }
            Map<Integer, long[]> changes = new HashMap<>();
            for (int left = in.count(); left > 0; left--) {
                int shard = Math.toIntExact(in.next());
                long[] keys = new long[in.count()];
                long key = 0;
                for (int i = 0; i < keys.length; i++) {
                    key += in.next();
                    keys[i] = key;
                }
                changes.put(shard, keys);
            }
            return Optional.of(new Hints(origin, everything, leases, letters, changes));
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    /** Makes the largest stand for all of their keys until the sum fits; false if they never do. */
    private static boolean fit(Map<Integer, byte[]> shards, int room) {
        int sum = shards.values().stream().mapToInt(bytes -> bytes.length).sum();
        List<Integer> largestFirst = shards.keySet().stream()
                .sorted((a, b) -> Integer.compare(size(shards, b), size(shards, a)))
                .toList();
        for (int i = 0; i < largestFirst.size() && sum > room; i++) {
            int shard = largestFirst.get(i);
            byte[] any = shard(shard, new long[0]);
            sum -= size(shards, shard) - any.length;
            shards.put(shard, any);
        }
        return sum <= room;
    }

    private static int size(Map<Integer, byte[]> shards, int shard) {
        byte[] bytes = shards.get(shard);
        return bytes == null ? 0 : bytes.length;
    }

    private static byte[] shard(int shard, long[] keys) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, shard);
        varint(out, keys.length);
        long[] sorted = keys.clone();
        Arrays.sort(sorted);
        long before = 0;
        for (long key : sorted) {
            varint(out, key - before);
            before = key;
        }
        return out.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        Varint.write(out, value);
    }

    /** Reads what may have been sent by anybody who may notify. */
    private static final class Numbers {
        private final byte[] source;
        private int position;

        Numbers(byte[] source) {
            this.source = source;
        }

        long next() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                byte b = source[position++];
                value |= (long) (b & 0x7F) << shift;
                if (b >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number has more than 64 bits");
        }

        /** So many numbers follow, at least one byte each. */
        int count() {
            long count = next();
            if (count < 0 || count > source.length - position) {
                throw new IllegalArgumentException("more is announced than follows");
            }
            return (int) count;
        }
    }
}
