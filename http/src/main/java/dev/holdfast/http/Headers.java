package dev.holdfast.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Header fields; names are found whatever their case. A request has a dozen, so they are looked for one by one, which is faster than any index.
 * One thread at a time.
 */
public final class Headers {

    private static final int USUAL_FIELDS = 8;

    /**
     * Fields that are the same in very many responses. A binding may keep what it encodes them to: two blocks are the same only if they are
     * the same object. Immutable.
     */
    public static final class Block {
        private final List<String> pairs;

        private Block(List<String> pairs) {
            this.pairs = pairs;
        }

        /**
         * @param pairs name, value, name, value ...
         */
        public static Block of(String... pairs) {
            if (pairs.length % 2 != 0) {
                throw new IllegalArgumentException("A name has no value");
            }
            return new Block(List.of(pairs));
        }

        public void forEach(BiConsumer<String, String> each) {
            for (int i = 0; i < pairs.size(); i += 2) {
                each.accept(pairs.get(i), pairs.get(i + 1));
            }
        }
    }

    /** Name, value, name, value ...; the first {@code 2 * count} are in use. */
    private String[] pairs = new String[2 * USUAL_FIELDS];

    private int count;
    private List<Block> blocks = List.of();

    /** Adds a value beside those there are. */
    public Headers add(String name, String value) {
        if (2 * count == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * pairs.length);
        }
        pairs[2 * count] = name;
        pairs[2 * count + 1] = value;
        count++;
        return this;
    }

    /** Replaces all values. */
    public Headers set(String name, String value) {
        remove(name);
        return add(name, value);
    }

    /** Adds fields that replace those of the same names set before. */
    public Headers add(Block block) {
        for (int i = 0; i < block.pairs.size(); i += 2) {
            remove(block.pairs.get(i));
        }
        if (blocks.isEmpty()) {
            blocks = List.of(block);
        } else {
            List<Block> more = new ArrayList<>(blocks);
            more.add(block);
            blocks = more;
        }
        return this;
    }

    private void remove(String name) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (!pairs[2 * i].equalsIgnoreCase(name)) {
                pairs[2 * kept] = pairs[2 * i];
                pairs[2 * kept + 1] = pairs[2 * i + 1];
                kept++;
            }
        }
        count = kept;
    }

    /** The first value, or null; blocks are not looked at. */
    public @Nullable String value(String name) {
        for (int i = 0; i < count; i++) {
            if (pairs[2 * i].equalsIgnoreCase(name)) {
                return pairs[2 * i + 1];
            }
        }
        return null;
    }

    /** The first value. */
    public Optional<String> first(String name) {
        return Optional.ofNullable(value(name));
    }

    public List<String> all(String name) {
        List<String> values = new ArrayList<>(1);
        for (int i = 0; i < count; i++) {
            if (pairs[2 * i].equalsIgnoreCase(name)) {
                values.add(pairs[2 * i + 1]);
            }
        }
        return values;
    }

    /** Every field, those of blocks last. */
    public void forEach(BiConsumer<String, String> each) {
        forEachOutsideBlocks(each);
        for (Block block : blocks) {
            block.forEach(each);
        }
    }

    /** The fields that were added one by one. */
    public void forEachOutsideBlocks(BiConsumer<String, String> each) {
        for (int i = 0; i < count; i++) {
            each.accept(pairs[2 * i], pairs[2 * i + 1]);
        }
    }

    /** The blocks that were added, in order. */
    public List<Block> blocks() {
        return blocks;
    }
}
