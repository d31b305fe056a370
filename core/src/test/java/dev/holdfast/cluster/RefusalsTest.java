package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.AnswerConflict;
import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.OrderConflict;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.SearchNotSupported;
import dev.holdfast.error.HoldfastException.SessionBusy;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StoreLocked;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.ToolCallNotFound;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.error.Refusal;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RefusalsTest {

    private final Throwable cause = new IllegalStateException("cause");

    /** One of each, with facts that differ from each other and from 0. */
    private final List<HoldfastException> all = List.of(
            new InvalidArgument("a"),
            new LimitExceeded("maxThing", 17, 18, "send less"),
            new StreamNotFound("s"),
            new StreamGone("s"),
            new StreamClosed("s", "COMPLETED", 19),
            new StreamConflict("b"),
            new StaleEpoch("s", 3, 4),
            StaleEpoch.ofNode(6),
            new ProducerGap("p", 5, 7),
            ProducerGap.atStartOfEpoch("p", 8, 9),
            new StaleProducer("p", 10, 11),
            new OrderConflict("s", "given", "current"),
            new PreconditionFailed("c"),
            new CursorTooOld("s", 12, 13),
            new CursorAhead("s", 14, 15),
            new WrongCursor("d"),
            new SessionNotFound("x"),
            new MessageNotFound("x", "m"),
            new TurnNotFound("x", "t"),
            new TurnConflict("e"),
            new SessionBusy("x", "t"),
            new AnswerConflict("call", "was answered"),
            new ToolCallNotFound("t", "call"),
            new NotAuthorized("f"),
            new Overloaded("g"),
            new SearchNotSupported(),
            new AttachmentNotFound("s", "a"),
            new CallbackFailed("h", cause),
            new StoreFull("i", cause),
            new StoreBusy("j", cause),
            new StoreFailed("k", cause),
            new StorePoisoned("l", cause),
            StorePoisoned.ofLostLease("n", cause),
            new StoreDamaged("m"),
            new OutcomeUnknown("q"),
            new StoreLocked("n"),
            new StoreTooNew("o"),
            new Closed("p"));

    private final RecordCodec codec = new RecordCodec();
    private final Refusals refusals = new Refusals(codec);

    @Test
    void every_error_is_among_the_tested_ones() {
        Set<Class<?>> tested = all.stream().map(Object::getClass).collect(Collectors.toSet());
        assertThat(tested).containsExactlyInAnyOrder(HoldfastException.class.getPermittedSubclasses());
    }

    @Test
    void every_error_is_raised_again_with_its_class_message_and_facts() {
        for (HoldfastException error : all) {
            HoldfastException again = Refusal.of(error).exception().orElseThrow();
            assertThat(again).hasSameClassAs(error).hasMessage(error.getMessage());
            assertThat(facts(again)).as(error.toString()).isEqualTo(facts(error));
        }
    }

    @Test
    void another_node_gets_the_same_error_unless_it_concerns_the_store_of_the_first_only() {
        for (HoldfastException error : all) {
            HoldfastException told = refusals.decode(refusals.encode(error));
            switch (error) {
                case StorePoisoned e -> busy(told, e);
                case StoreLocked e -> busy(told, e);
                case StoreTooNew e -> busy(told, e);
                case Closed e -> busy(told, e);
                default -> {
                    assertThat(told).hasSameClassAs(error).hasMessage(error.getMessage());
                    assertThat(facts(told)).as(error.toString()).isEqualTo(facts(error));
                }
            }
        }
    }

    @Test
    void a_call_that_met_a_poisoned_store_is_said_to_be_of_unknown_fate() {
        assertThat(refusals.decode(refusals.encode(new StorePoisoned("gone.", cause))))
                .hasMessage(
                        "The shard's node gives it up: gone. It may have been written. Ask how it stands before you send it again.");
    }

    @Test
    void an_error_that_only_a_newer_version_knows_is_not_taken_for_another_one() {
        byte[] newer = codec.encode(Refusal.class, new Refusal("TooSunny", "It is.", List.of(1L), "x"));
        assertThat(refusals.decode(newer))
                .isInstanceOf(StoreFailed.class)
                .hasMessage(
                        "The shard's node refused with TooSunny, which this version does not know: It is. Update this node.");
    }

    @Test
    void facts_that_an_older_version_left_out_are_zero() {
        HoldfastException gap =
                new Refusal("ProducerGap", "m", List.of(5L), "").exception().orElseThrow();
        assertThat(facts(gap)).containsEntry("expected", 5L).containsEntry("received", 0L);
    }

    @Test
    void a_message_that_quotes_malformed_text_arrives_all_the_same() {
        assertThat(refusals.decode(refusals.encode(new InvalidArgument("half \uD83D."))))
                .hasMessage("half ?.");
    }

    @Test
    void bytes_that_are_no_refusal_are_refused() {
        assertThatThrownBy(() -> refusals.decode(new byte[] {9})).isInstanceOf(InvalidArgument.class);
    }

    private static void busy(HoldfastException told, HoldfastException theirs) {
        assertThat(told).isInstanceOf(StoreBusy.class).hasMessageContaining(theirs.getMessage());
    }

    /** What the class declares for its callers to read. */
    private static Map<String, Object> facts(HoldfastException error) {
        List<Method> accessors = Arrays.stream(error.getClass().getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getParameterCount() == 0)
                .toList();
        Map<String, Object> facts = new TreeMap<>();
        for (Method accessor : accessors) {
            try {
                facts.put(accessor.getName(), accessor.invoke(error));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }
        return facts;
    }
}
