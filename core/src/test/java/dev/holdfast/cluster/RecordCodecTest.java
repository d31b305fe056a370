package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.Samples.Answer;
import dev.holdfast.cluster.Samples.Circle;
import dev.holdfast.cluster.Samples.Colour;
import dev.holdfast.cluster.Samples.Everything;
import dev.holdfast.cluster.Samples.Figure;
import dev.holdfast.cluster.Samples.Nullables;
import dev.holdfast.cluster.Samples.Tree;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Producer;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RecordCodecTest {

    private final RecordCodec codec = new RecordCodec();

    @SuppressWarnings("UnusedMethod") // its types are what is tested
    private interface Types {
        List<String> texts();

        Map<String, Figure> figures();

        Answer<List<Long>, Colour> answer();

        List<Runnable> runnables();

        Map<Long, String> numbered();

        @SuppressWarnings("rawtypes")
        List raw();

        <T> List<T> unbound();

        long[] longs();
    }

    record Older(long a, String b) {}

    record Newer(
            long a,
            String b,
            @Nullable Colour c,
            boolean d,
            int e,
            Long f,
            double g,
            String h,
            List<Colour> i,
            Set<Colour> j,
            Map<String, Colour> k,
            OptionalLong l,
            byte[] m) {}

    record NeedsMore(long a, String b, Colour c) {}

    record Strict(long positive) {
        Strict {
            if (positive <= 0) {
                throw new IllegalArgumentException("not positive");
            }
        }
    }

    record Loose(long positive) {}

    @Test
    void every_type_comes_back_as_it_was() {
        byte[] bytes = codec.encode(Everything.class, Samples.EVERYTHING);
        assertThat(codec.decode(Everything.class, bytes)).isEqualTo(Samples.EVERYTHING);
    }

    @Test
    void what_the_engines_are_asked_comes_back_as_it_was() {
        AppendRequest append = AppendRequest.of(List.of(new byte[0], bytes("b")))
                .from(new Producer("p", 1, 2))
                .at(7)
                .settling();
        AppendRequest decoded = codec.decode(AppendRequest.class, codec.encode(AppendRequest.class, append));
        assertThat(decoded.chunks()).containsExactly(new byte[0], bytes("b"));
        assertThat(decoded.producer()).isEqualTo(append.producer());
        assertThat(decoded.expectedTail()).isEqualTo(OptionalLong.of(7));
        assertThat(decoded.settle()).isTrue();
        assertThat(decoded.order()).isNull();

        MessageDraft draft = MessageDraft.of("m", "user", "hi").under("parent");
        MessageDraft back = codec.decode(MessageDraft.class, codec.encode(MessageDraft.class, draft));
        assertThat(back.content()).isEqualTo(draft.content());
        assertThat(back.placement()).isEqualTo(draft.placement());
    }

    @Test
    void values_that_are_no_records_travel_at_the_top() throws Exception {
        assertThat(roundTrip(long.class, -1L)).isEqualTo(-1L);
        assertThat(roundTrip(boolean.class, true)).isEqualTo(true);
        assertThat(roundTrip(String.class, "")).isEqualTo("");
        assertThat(roundTrip(void.class, null)).isNull();
        assertThat(roundTrip(byte[].class, bytes("x"))).isEqualTo(bytes("x"));
        assertThat(roundTrip(Colour.class, Colour.GREEN)).isEqualTo(Colour.GREEN);
        assertThat(roundTrip(Figure.class, new Circle(2))).isEqualTo(new Circle(2));
        assertThat(roundTrip(type("texts"), List.of("a", ""))).isEqualTo(List.of("a", ""));
        assertThat(roundTrip(type("figures"), Map.of("c", new Circle(2)))).isEqualTo(Map.of("c", new Circle(2)));
        assertThat(roundTrip(type("answer"), new Answer<>(List.of(1L), null)))
                .isEqualTo(new Answer<>(List.of(1L), null));
    }

    @Test
    void null_is_not_what_is_empty() {
        Nullables empty = new Nullables(false, 0L, "", new byte[0], List.of(), new Samples.Point(), Samples.NULLS);
        Nullables decoded = codec.decode(Nullables.class, codec.encode(Nullables.class, empty));
        assertThat(decoded.flag()).isFalse();
        assertThat(decoded.text()).isEmpty();
        assertThat(decoded.bytes()).isEmpty();
        assertThat(decoded.list()).isEmpty();
        assertThat(decoded.self()).isEqualTo(Samples.NULLS);
        assertThat(roundTrip(String.class, null)).isNull();
        assertThatThrownBy(() -> codec.decode(String.class, codec.encode(String.class, null)))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void maps_and_lists_keep_their_order() throws Exception {
        Map<String, Figure> map = new LinkedHashMap<>();
        for (int i = 100; i > 0; i--) {
            map.put("k" + i, new Circle(i));
        }
        assertThat(roundTrip(type("figures"), map)).isEqualTo(map).hasToString(map.toString());
    }

    @Test
    void null_where_the_type_has_none_is_refused_on_both_sides() throws Exception {
        @SuppressWarnings("NullAway") // what is tested
        Tree holed = new Tree(null, List.of());
        assertThatThrownBy(() -> codec.encode(Tree.class, holed))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("Tree.name");
        assertThatThrownBy(() -> codec.encode(type("texts"), Collections.singletonList(null)))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> codec.encode(long.class, null)).isInstanceOf(InvalidArgument.class);
        // record of two components: null, empty list
        byte[] bytes = {4, 2, 0, 1};
        assertThatThrownBy(() -> codec.decode(Tree.class, bytes))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("Tree.name is null");
    }

    @Test
    void a_reader_passes_over_components_that_it_does_not_know() {
        Newer newer = new Newer(
                5, "x", Colour.RED, true, 1, 2L, 3, "4", List.of(), Set.of(), Map.of(), OptionalLong.of(1), bytes("y"));
        assertThat(codec.decode(Older.class, codec.encode(Newer.class, newer))).isEqualTo(new Older(5, "x"));
    }

    @Test
    void components_that_the_sender_did_not_know_are_null_zero_false_or_empty() {
        Newer decoded = codec.decode(Newer.class, codec.encode(Older.class, new Older(5, "x")));
        assertThat(decoded.b()).isEqualTo("x");
        assertThat(decoded.c()).isNull();
        assertThat(decoded.d()).isFalse();
        assertThat(decoded.e()).isZero();
        assertThat(decoded.f()).isZero();
        assertThat(decoded.g()).isZero();
        assertThat(decoded.h()).isEmpty();
        assertThat(decoded.i()).isEmpty();
        assertThat(decoded.j()).isEmpty();
        assertThat(decoded.k()).isEmpty();
        assertThat(decoded.l()).isEmpty();
        assertThat(decoded.m()).isEmpty();
    }

    @Test
    void a_component_that_has_no_such_value_is_refused_when_it_is_missing() {
        byte[] bytes = codec.encode(Older.class, new Older(5, "x"));
        assertThatThrownBy(() -> codec.decode(NeedsMore.class, bytes))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("NeedsMore.c is missing");
    }

    @Test
    void the_checks_of_a_record_hold_for_what_is_decoded() {
        byte[] bytes = codec.encode(Loose.class, new Loose(-1));
        assertThatThrownBy(() -> codec.decode(Strict.class, bytes))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("not positive");
    }

    @Test
    void names_in_the_bytes_choose_only_among_what_the_type_permits() {
        byte[] constant = codec.encode(String.class, "BLUE");
        assertThatThrownBy(() -> codec.decode(Colour.class, constant))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("Colour has no constant \"BLUE\"");
        // a value of 18 bytes: a name of 16 bytes, then an empty value
        byte[] named = new byte[19];
        named[0] = 19;
        named[1] = 17;
        System.arraycopy(bytes("java.lang.Thread"), 0, named, 2, 16);
        named[18] = 1;
        assertThatThrownBy(() -> codec.decode(Figure.class, named))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("Figure permits no \"java.lang.Thread\"");
    }

    @Test
    void malformed_bytes_are_refused_with_what_is_wrong() {
        refused(String.class, "is not UTF-8", 2, 0xFF);
        refused(String.class, "left over", 2, 'a', 'b');
        refused(String.class, "ends too early");
        refused(String.class, "longer than what holds it", 100, 'a');
        refused(long.class, "more than 64 bits", 12, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
        refused(long.class, "more than 64 bits", 11, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2);
        refused(long.class, "ends too early", 2, 0x80);
        refused(int.class, "does not fit an int", 6, 255, 255, 255, 255, 127);
        refused(boolean.class, "no boolean", 2, 2);
        refused(Duration.class, "out of range", 7, 0, 255, 255, 255, 255, 127);
        refused(Tree.class, "more values are announced than there are bytes", 2, 5);
        refused(void.class, "a value where none can be", 1);
        refused(String.class, "longer than", 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
    }

    @Test
    void text_that_has_no_encoding_is_refused() {
        for (String bad : List.of("\uD83D", "a\uDE00", "\uD83Da", "\uD83D\uD83D\uDE00")) {
            assertThatThrownBy(() -> codec.encode(String.class, bad)).isInstanceOf(InvalidArgument.class);
        }
    }

    @Test
    void types_that_cannot_be_sent_are_refused_whatever_the_value() throws Exception {
        record Holds(@Nullable Runnable action) {}
        record Nested(List<Holds> all) {}
        for (Type type : List.of(
                Holds.class,
                Nested.class,
                Object.class,
                float.class,
                List.class,
                type("runnables"),
                type("numbered"),
                type("raw"),
                type("unbound"),
                type("longs"))) {
            assertThatThrownBy(() -> codec.encode(type, null))
                    .as(type.getTypeName())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot be sent");
        }
        assertThatThrownBy(() -> codec.encode(Nested.class, null)).hasMessageContaining("Nested.all: Holds.action: ");
    }

    /** BOUNDED. */
    @Test
    void depth_size_and_number_of_values_have_limits_on_both_sides() throws Exception {
        Tree deep = new Tree("", List.of());
        for (int i = 0; i < RecordCodec.MAX_DEPTH; i++) {
            deep = new Tree("", List.of(deep));
        }
        Tree tooDeep = deep;
        assertThatThrownBy(() -> codec.encode(Tree.class, tooDeep)).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> codec.decode(Tree.class, nest(RecordCodec.MAX_DEPTH)))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("MAX_DEPTH");

        byte[] large = new byte[RecordCodec.MAX_BYTES];
        assertThatThrownBy(() -> codec.encode(byte[].class, large)).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> codec.decode(byte[].class, new byte[RecordCodec.MAX_BYTES + 1]))
                .isInstanceOf(InvalidArgument.class);

        // each element of no bytes: an empty text
        byte[] many = new byte[RecordCodec.MAX_VALUES + 5];
        Arrays.fill(many, (byte) 1);
        int length = many.length - 4 + 1;
        for (int i = 0; i < 4; i++) {
            many[i] = (byte) (((length >>> (7 * i)) & 0x7F) | (i < 3 ? 0x80 : 0));
        }
        assertThatThrownBy(() -> codec.decode(type("texts"), many))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("MAX_VALUES");
        List<String> elements = Collections.nCopies(RecordCodec.MAX_VALUES, "");
        assertThatThrownBy(() -> codec.encode(type("texts"), elements)).isInstanceOf(LimitExceeded.class);
    }

    @Test
    void an_encoding_of_nearly_the_largest_size_comes_back() {
        byte[] large = new byte[RecordCodec.MAX_BYTES - 5];
        new Random(1).nextBytes(large);
        assertThat(codec.decode(byte[].class, codec.encode(byte[].class, large)))
                .isEqualTo(large);
    }

    @Test
    void whatever_the_bytes_are_decoding_returns_a_value_or_says_what_is_wrong() {
        Random random = new Random(20240607);
        byte[] valid = codec.encode(Everything.class, Samples.EVERYTHING);
        int values = 0;
        int refusals = 0;
        for (int round = 0; round < 200_000; round++) {
            byte[] bytes = mutated(valid, random);
            try {
                codec.decode(Everything.class, bytes);
                values++;
            } catch (InvalidArgument e) {
                refusals++;
            }
        }
        // neither is rare, so that the loop has gone deep
        assertThat(values).isGreaterThan(1_000);
        assertThat(refusals).isGreaterThan(1_000);
    }

    @Test
    void what_was_decoded_from_mutated_bytes_can_be_sent_on() {
        Random random = new Random(7);
        byte[] valid = codec.encode(Everything.class, Samples.EVERYTHING);
        int checked = 0;
        for (int round = 0; round < 20_000; round++) {
            Everything decoded;
            try {
                decoded = codec.decode(Everything.class, mutated(valid, random));
            } catch (InvalidArgument e) {
                continue;
            }
            byte[] again = codec.encode(Everything.class, decoded);
            assertThat(codec.encode(Everything.class, codec.decode(Everything.class, again)))
                    .isEqualTo(again);
            checked++;
        }
        assertThat(checked).isGreaterThan(100);
    }

    @Test
    void many_threads_may_derive_the_same_shapes_at_once() throws Exception {
        int threads = 4;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int round = 0; round < 50; round++) {
                RecordCodec fresh = new RecordCodec();
                CyclicBarrier start = new CyclicBarrier(threads);
                List<Callable<Everything>> calls = Collections.nCopies(threads, () -> {
                    start.await();
                    return fresh.decode(Everything.class, fresh.encode(Everything.class, Samples.EVERYTHING));
                });
                for (Future<Everything> call : pool.invokeAll(calls)) {
                    assertThat(call.get()).isEqualTo(Samples.EVERYTHING);
                }
            }
        }
    }

    private static byte[] mutated(byte[] valid, Random random) {
        byte[] bytes = valid.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
                case 3 -> {
                    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
                    System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
                    bytes = longer;
                }
                default -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 1 + random.nextInt(8)), (byte) 0xFF);
            }
        }
        return bytes;
    }

    /** Trees of one child each, down to where the bytes end. */
    private static byte[] nest(int levels) {
        byte[] bytes = {4, 2, 1, 1};
        for (int i = 0; i < levels; i++) {
            bytes = frame(concat(new byte[] {2, 1}, frame(bytes)));
        }
        return bytes;
    }

    private static byte[] frame(byte[] body) {
        int framed = body.length + 1;
        byte[] length = framed < 128
                ? new byte[] {(byte) framed}
                : new byte[] {(byte) ((framed & 0x7F) | 0x80), (byte) (framed >>> 7)};
        return concat(length, body);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private void refused(Type type, String why, int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        assertThatThrownBy(() -> codec.decode(type, bytes))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining(why);
    }

    private @Nullable Object roundTrip(Type type, @Nullable Object value) {
        return codec.decode(type, codec.encode(type, value));
    }

    private static Type type(String method) throws NoSuchMethodException {
        return Types.class.getDeclaredMethod(method).getGenericReturnType();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
