package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.Apart;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The events of a task: every position has its answer (EVERY-CURSOR, EXPLICIT-CURSOR), replay and live are one (NO-SEAM). */
class TaskStreamTest extends TaskTest {

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("teller", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("large_teller", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withMaxEventBytes(20_000));
    }

    /** Little waits for a reader. */
    @Override
    ModernServer start(Holdfast opened) {
        return ModernServer.tasks(opened, tools, this::rules, era -> era.maxUnsentBytes(64 << 10));
    }

    private static List<Long> seqs(List<JsonNode> events) {
        return events.stream().map(event -> event.path("seq").longValue()).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void for_each_position_exactly_what_follows_is_sent(boolean restarts) {
        String task = caller().task("teller", Map.of("label", "a", "events", 10));
        tools.open("a");
        awaitStatus(task, "completed");
        if (restarts) {
            restart();
        }
        List<JsonNode> all = events(task, -1);
        assertThat(seqs(all))
                .containsExactlyElementsOf(LongStream.range(0, 18).boxed().toList());
        for (int after = -1; after < all.size(); after++) {
            assertThat(events(task, after)).isEqualTo(all.subList(after + 1, all.size()));
        }
        List<JsonNode> kept =
                caller().ask("tasks/stream", Map.of("taskId", task)).messages();
        assertThat(kept).hasSize(19);
        assertThat(kept.getLast().path("result").path("lastSeq").longValue()).isEqualTo(17);
        assertThat(kept.getLast().path("result").path("status").stringValue()).isEqualTo("completed");
        assertThat(kept.getLast().path("result").path("resultType").stringValue())
                .isEqualTo("complete");
    }

    @Test
    void events_say_what_happened() {
        String task = caller().task("teller", Map.of("label", "a", "events", 2));
        tools.open("a");
        awaitStatus(task, "completed");
        List<JsonNode> events = events(task, -1);
        assertThat(types(events))
                .containsExactly("created", "progress", "progress", "notification", "progress", "outcome");
        assertThat(events.get(0).path("data").path("tool").stringValue()).isEqualTo("teller");
        assertThat(events.get(1).path("data").path("progress").intValue()).isEqualTo(1);
        assertThat(events.get(1).path("data").path("total").intValue()).isEqualTo(2);
        assertThat(events.get(3).path("data").path("method").stringValue()).isEqualTo("notifications/message");
        assertThat(events.get(3).path("data").path("params").path("data").stringValue())
                .isEqualTo("line 2");
        assertThat(text(events.get(5).path("data").path("result"))).isEqualTo("told a");
        assertThat(events)
                .allSatisfy(
                        event -> assertThat(event.path("taskId").stringValue()).isEqualTo(task));
        assertThat(events.toString()).doesNotContain("requestState", "principal");
    }

    @Test
    void questions_and_answers_are_events_without_the_answers_text() {
        String task = caller().task("confirm_delete", Map.of("filename", "f"));
        String key = awaitStatus(task, "input_required")
                .path("inputRequests")
                .propertyNames()
                .iterator()
                .next();
        caller().update(task, Map.of(key, answer("secret")));
        awaitStatus(task, "completed");
        List<JsonNode> events = events(task, -1);
        assertThat(types(events)).containsExactly("created", "input_requested", "input_received", "outcome");
        assertThat(events.get(1).path("data").path("inputRequests").has(key)).isTrue();
        assertThat(events.get(2).toString()).contains(key).doesNotContain("secret");
    }

    @Test
    void what_is_kept_is_followed_by_what_comes_until_the_outcome() {
        String task = caller().task("teller", Map.of("label", "a", "events", 3));
        until(() -> tools.counted("came a") == 1);
        try (ModernCaller.Stream stream = caller().open("tasks/stream", Map.of("taskId", task, "after", 1))) {
            List<Long> seen = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                seen.add(Objects.requireNonNull(stream.next())
                        .path("params")
                        .path("seq")
                        .longValue());
            }
            assertThat(seen).containsExactly(2L, 3L, 4L);
            tools.open("a");
            JsonNode last = stream.next();
            List<JsonNode> rest = new ArrayList<>();
            while (last != null) {
                rest.add(last);
                last = stream.next();
            }
            assertThat(rest).hasSize(3);
            assertThat(rest.get(0).path("params").path("seq").longValue()).isEqualTo(5);
            assertThat(rest.get(1).path("params").path("type").stringValue()).isEqualTo("dev.holdfast/outcome");
            assertThat(rest.get(2).has("result")).isTrue();
        }
    }

    @Test
    void many_readers_at_many_positions_see_the_same_while_it_grows() {
        String task = caller().task("teller", Map.of("label", "a", "events", 150));
        List<java.util.concurrent.CompletableFuture<List<JsonNode>>> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            readers.add(Apart.run(() -> events(task, -1)));
        }
        tools.open("a");
        awaitStatus(task, "completed");
        List<JsonNode> all = events(task, -1);
        assertThat(seqs(all))
                .containsExactlyElementsOf(LongStream.range(0, 228).boxed().toList());
        readers.forEach(reader -> assertThat(reader.join()).isEqualTo(all));
    }

    @Test
    void a_position_beyond_the_last_event_or_none_at_all_is_invalid() {
        String task = caller().task("teller", Map.of("label", "a", "events", 1));
        tools.open("a");
        awaitStatus(task, "completed");
        for (Object after : List.of(4, 1_000_000_000_000L, -2, "1", 1.5)) {
            Answer answer = caller().ask("tasks/stream", Map.of("taskId", task, "after", after));
            assertThat(answer.code()).as("after " + after).isEqualTo(-32602);
            assertThat(answer.status()).isEqualTo(400);
        }
        assertThat(events(task, 3)).isEmpty();
    }

    @Test
    void events_that_are_not_kept_are_gone_and_the_answer_names_the_first_that_is() {
        tools.streaming("large_teller", (ctx, request, notifier) -> {
            for (int i = 1; i <= 400; i++) {
                notifier.progress(i, null, "step " + i + " " + "z".repeat(1000));
            }
            tools.pass("told");
            return dev.holdfast.mcp.TestTools.text("done");
        });
        String task = caller().task("large_teller", Map.of("ballast", "b"));
        until(() -> tools.counted("came told") == 1);

        Answer gone = caller().ask("tasks/stream", Map.of("taskId", task, "after", -1));
        assertThat(gone.code()).isEqualTo(-32010);
        assertThat(gone.error().path("message").stringValue()).startsWith("events_gone");
        long earliest = gone.error().path("data").path("earliestSeq").longValue();
        assertThat(earliest).isBetween(300L, 390L);
        assertThat(caller().ask("tasks/stream", Map.of("taskId", task, "after", earliest - 2))
                        .code())
                .isEqualTo(-32010);

        // the task is known as before, and a restart finds what it needs
        assertThat(caller().get(task).path("statusMessage").stringValue()).startsWith("step 400");
        restart();
        until(() -> tools.counted("came told") == 2);
        tools.open("told");
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).isEqualTo("done");

        List<JsonNode> kept = new ArrayList<>(
                caller().ask("tasks/stream", Map.of("taskId", task)).messages());
        JsonNode result = kept.removeLast();
        List<Long> seqs = kept.stream()
                .map(event -> event.path("params").path("seq").longValue())
                .toList();
        assertThat(seqs)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(seqs.getFirst(), 801).boxed().toList());
        assertThat(result.path("result").path("lastSeq").longValue()).isEqualTo(801);
        for (long after = seqs.getFirst() - 1; after <= 801; after++) {
            assertThat(events(task, after)).hasSize((int) (801 - after));
        }
    }

    @Test
    void a_reader_that_is_overtaken_is_told_so_and_never_misses_events_silently() {
        tools.streaming("large_teller", (ctx, request, notifier) -> {
            String ballast = "z".repeat(200_000);
            for (int i = 1; i <= 150; i++) {
                notifier.progress(i, null, i + ballast);
            }
            tools.pass("told");
            return dev.holdfast.mcp.TestTools.text("done");
        });
        String task = caller().task("large_teller", Map.of());
        try (ModernCaller.Stream stream = caller().open("tasks/stream", Map.of("taskId", task))) {
            until(() -> tools.counted("came told") == 1);
            JsonNode message = Objects.requireNonNull(stream.next());
            long next = message.path("params").path("seq").longValue();
            while (!message.has("error")) {
                assertThat(message.path("params").path("seq").longValue()).isEqualTo(next++);
                message = Objects.requireNonNull(stream.next());
            }
            assertThat(message.path("error").path("code").intValue()).isEqualTo(-32010);
            long earliest =
                    message.path("error").path("data").path("earliestSeq").longValue();
            assertThat(earliest).isGreaterThan(next);
            tools.open("told");
            awaitStatus(task, "completed");
            assertThat(seqs(events(task, earliest - 1))).startsWith(earliest).endsWith(151L);
        }
    }

    @Test
    void a_reader_that_leaves_stops_nothing() {
        String task = caller().task("teller", Map.of("label", "a", "events", 1));
        try (ModernCaller.Stream stream = caller().open("tasks/stream", Map.of("taskId", task))) {
            assertThat(stream.next()).isNotNull();
        }
        tools.open("a");
        awaitStatus(task, "completed");
        assertThat(tools.counted("interrupted a")).isZero();
    }
}
