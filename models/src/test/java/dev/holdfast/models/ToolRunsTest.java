package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolSpecification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.POJONode;

/** Calls that run at once: what is handed on, in which order, and what each call is told about its end. */
final class ToolRunsTest {

    private final RecordingTurn turn = new RecordingTurn("Where is it warm?");
    private final List<ToolRuns.Result> results = new ArrayList<>();

    /** Is looked at when its preliminary output is taken, and then waits until that output has been overtaken. */
    public static final class Slow {
        private final CountDownLatch seen = new CountDownLatch(1);
        private final CountDownLatch overtaken = new CountDownLatch(1);

        public String getText() throws InterruptedException {
            seen.countDown();
            overtaken.await();
            return "so far";
        }
    }

    @Test
    void what_a_call_shows_while_it_ends_is_never_handed_on_behind_its_result() throws Exception {
        Slow slow = new Slow();
        CompletableFuture<Boolean> shown = new CompletableFuture<>();
        ToolRuns.Run first = run("first", (call, soFar) -> {
            Thread.ofVirtual().start(() -> {
                soFar.accept(new ToolOutput.Value(new POJONode(slow)));
                shown.complete(true);
            });
            slow.seen.await();
            return ToolOutput.text("all");
        });
        ToolRuns.Run second = run("second", (call, soFar) -> {
            shown.get();
            return ToolOutput.text("other");
        });
        ToolRuns.run(turn, List.of(first, second), batch -> {
            results.addAll(batch);
            slow.overtaken.countDown();
        });
        assertThat(results).allMatch(ToolRuns.Result::isLast);
        assertThat(results).extracting(ToolRuns.Result::call).containsExactly(first.call(), second.call());
    }

    @Test
    void a_call_is_told_that_its_time_is_over_before_it_is_interrupted() throws Exception {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        ToolRuns.Run late = run(tool("late", (call, soFar) -> waits(call, told)).withTimeout(Duration.ofMillis(5)));
        ToolRuns.run(turn, List.of(late), results::addAll);
        assertThat(told.get()).isTrue();
        assertThat(late.call().isTimedOut()).isTrue();
    }

    @Test
    void a_call_that_is_interrupted_by_a_stop_is_not_told_that_its_time_is_over() throws Exception {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        ToolRuns.Run stopped = run("stopped", (call, soFar) -> {
            Thread.ofVirtual().start(turn::stop);
            return waits(call, told);
        });
        assertThatThrownBy(() -> ToolRuns.run(turn, List.of(stopped), results::addAll))
                .isInstanceOf(InterruptedException.class);
        assertThat(told.get()).isFalse();
    }

    @Test
    void a_call_that_is_interrupted_because_its_turn_failed_is_not_told_that_its_time_is_over() throws Exception {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        ToolRuns.Run left = run("left", (call, soFar) -> waits(call, told));
        ToolRuns.Run other = run("other", (call, soFar) -> ToolOutput.text("there"));
        assertThatThrownBy(() -> ToolRuns.run(turn, List.of(left, other), batch -> {
                    throw new IllegalStateException("cannot be written");
                }))
                .hasMessage("cannot be written");
        assertThat(told.get()).isFalse();
    }

    @Test
    void a_tool_whose_own_wait_timed_out_has_failed_and_says_how() throws Exception {
        ToolRuns.Run failed = run("failed", (call, soFar) -> {
            throw new TimeoutException("the oven is cold");
        });
        ToolRuns.run(turn, List.of(failed), results::addAll);
        assertThat(results.getFirst().output()).isEqualTo(ToolOutput.failure("The tool failed: the oven is cold"));
        assertThat(failed.call().isTimedOut()).isFalse();
    }

    private static ToolOutput waits(ToolCall call, CompletableFuture<Boolean> told) throws InterruptedException {
        try {
            new CountDownLatch(1).await();
            return ToolOutput.text("never");
        } catch (InterruptedException e) {
            told.complete(call.isTimedOut());
            throw e;
        }
    }

    private ToolRuns.Run run(String name, Tool.GrowingExecutor executor) {
        return run(tool(name, executor));
    }

    private ToolRuns.Run run(Tool tool) {
        ToolCall call = new ToolCall(turn, tool.name(), tool.name(), ModelJson.object(), "s1/t1/" + tool.name());
        return new ToolRuns.Run(call, tool, tool.executor().orElseThrow());
    }

    private static Tool tool(String name, Tool.GrowingExecutor executor) {
        return Tool.growing(ToolSpecification.builder().name(name).build(), executor);
    }
}
