package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.ScriptedTransport.Sent;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.ToolAnswer;
import dev.holdfast.client.message.TurnDraft;
import dev.holdfast.client.message.TurnState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent: in order, one at a time, until it is answered, and once. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a message is seen at the other end
final class OutboxTest {

    private static final String RECEIPT =
            "{'session':'a','turn':'t','state':'streaming','messageId':'m','started':true}";

    @TempDir
    private Path folder;

    private final Rig rig = new Rig();
    private final Seen seen = new Seen();

    private static List<String> texts(Line line) {
        return line.commands(ClientMessage.Send.class).stream()
                .map(OutboxTest::text)
                .toList();
    }

    private static String text(ClientMessage.Send send) {
        TurnDraft.UserMessage message = send.turn().message();
        return message == null || message.text() == null ? "" : message.text();
    }

    @Test
    void what_is_sent_before_the_welcome_waits_and_goes_in_order_one_at_a_time_M3() {
        rig.client.send("a", "1");
        rig.client.connect();
        rig.client.send("a", "2");
        Line line = rig.line();
        assertThat(line.sent).isEmpty();
        line.welcome("one");
        rig.client.send("a", "3");
        assertThat(texts(line)).containsExactly("1");
        line.last().answer(202, RECEIPT);
        line.last().answer(202, RECEIPT);
        line.last().answer(202, RECEIPT);
        assertThat(texts(line)).containsExactly("1", "2", "3");
        assertThat(rig.client.outbox()).isEmpty();
    }

    @Test
    void the_101st_is_refused_and_none_is_dropped_M4() {
        for (int i = 0; i < 100; i++) {
            rig.client.send("a", "" + i);
        }
        assertThatThrownBy(() -> rig.client.send("a", "one more"))
                .isInstanceOf(ClientException.Full.class)
                .hasMessageContaining("100 messages wait");
        Line line = rig.connected("one");
        for (int i = 0; i < 100; i++) {
            line.last().answer(202, RECEIPT);
        }
        assertThat(texts(line)).hasSize(100).startsWith("0", "1").endsWith("99");
        rig.client.send("a", "now");
        assertThat(texts(line)).endsWith("now");
    }

    @Test
    void what_is_cancelled_before_it_is_sent_is_not_sent_M5() {
        CompletableFuture<Receipt> first = rig.client.send("a", "1");
        CompletableFuture<Receipt> second = rig.client.send("a", "2");
        CompletableFuture<Receipt> third = rig.client.send("a", "3");
        second.cancel(true);
        assertThat(rig.client.outbox()).hasSize(2);
        Line line = rig.connected("one");
        third.cancel(true);
        line.last().answer(202, RECEIPT);
        assertThat(texts(line)).containsExactly("1");
        assertThat(first).isCompletedWithValue(new Receipt("a", "t", TurnState.STREAMING, "m", true));
        assertThat(rig.client.outbox()).isEmpty();
    }

    @Test
    void nothing_is_sent_between_a_welcome_and_the_success_of_its_reconnect_M11() {
        rig.client.watch("a", "a1", seen);
        rig.client.send("a", "1");
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        rig.client.send("a", "2");
        rig.client.stop("a", null, null);
        assertThat(line.types()).containsExactly("reconnect");
        line.last().answer(200, Rig.ALL_ATTACHED);
        assertThat(line.types()).containsExactly("reconnect", "stop", "send");
        assertThat(texts(line)).containsExactly("1");
    }

    @Test
    void what_waits_survives_a_reconnect_that_fails_M15() {
        rig.client.watch("a", "a1", seen);
        CompletableFuture<Receipt> receipt = rig.client.send("a", "1");
        rig.client.connect();
        rig.line().welcome("one");
        rig.line().last().refuse(503, "overloaded");
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(texts(second)).isEmpty();
        second.last().answer(200, Rig.ALL_ATTACHED);
        assertThat(texts(second)).containsExactly("1");
        second.last().answer(202, RECEIPT);
        assertThat(receipt).isCompleted();
    }

    @Test
    void a_stop_that_fails_is_not_sent_again_M29() {
        Line line = rig.connected("one");
        var stopped = rig.client.stop("a", null, null);
        line.last().fail();
        assertThat(stopped).isCompletedExceptionally();
        var lost = rig.client.stop("a", "t", "enough");
        line.lose();
        assertThat(lost).isCompletedExceptionally();
        rig.comeBack().welcome("two");
        rig.pass(Duration.ofSeconds(20));
        assertThat(rig.line().sent).isEmpty();
    }

    @Test
    void one_connection_sends_each_once_M32() {
        rig.client.watch("a", "a1", seen);
        rig.client.send("a", "1");
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        line.welcome("two");
        line.sent.get(0).answer(200, Rig.ALL_ATTACHED);
        line.sent.get(1).answer(200, Rig.ALL_ATTACHED);
        assertThat(texts(line)).containsExactly("1");
        line.last().answer(202, RECEIPT);
        assertThat(line.types()).containsExactly("reconnect", "reconnect", "send");
    }

    @Test
    void a_loss_in_the_middle_keeps_the_rest_and_repeats_what_is_uncertain_under_the_same_id_M35() {
        rig.client.send("a", "1");
        CompletableFuture<Receipt> second = rig.client.send("a", "2");
        rig.client.send("a", "3");
        Line line = rig.connected("one");
        line.last().answer(202, RECEIPT);
        ClientMessage uncertain = line.last().command();
        assertThat(rig.client.outbox())
                .extracting(SessionClient.Unsent::attempts)
                .containsExactly(1, 0);
        line.lose();
        Sent late = line.last();
        Line again = rig.comeBack();
        late.answer(202, RECEIPT); // of an older connection: it changes nothing
        assertThat(second).isNotDone();
        again.welcome("two");
        assertThat(again.last().command()).isEqualTo(uncertain);
        again.last().answer(202, RECEIPT);
        again.last().answer(202, RECEIPT);
        assertThat(texts(again)).containsExactly("2", "3");
        assertThat(second).isCompleted();
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503, 507})
    void what_passes_is_repeated_after_pauses_that_double_to_ten_seconds(int status) {
        Line line = rig.connected("one");
        rig.client.send("a", "1");
        rig.client.send("a", "2");
        for (long pause : new long[] {1, 2, 4, 8, 10, 10}) {
            int before = line.sent.size();
            line.last().refuse(status, "overloaded");
            rig.pass(Duration.ofSeconds(pause).minusMillis(1));
            assertThat(line.sent).hasSize(before);
            line.say(new dev.holdfast.client.message.ServerMessage.Heartbeat());
            rig.pass(Duration.ofMillis(1));
            assertThat(line.sent).hasSize(before + 1);
        }
        assertThat(texts(line)).containsOnly("1");
        assertThat(line.sent.stream().map(Sent::command).distinct()).hasSize(1);
        line.last().answer(202, RECEIPT);
        assertThat(texts(line)).endsWith("2");
    }

    @Test
    void no_answer_in_fifteen_seconds_and_an_answer_that_is_no_receipt_are_repeated() {
        Line line = rig.connected("one");
        rig.client.send("a", "1");
        rig.pass(Duration.ofSeconds(14));
        line.say(new dev.holdfast.client.message.ServerMessage.Heartbeat());
        assertThat(line.sent).hasSize(1);
        rig.pass(Duration.ofSeconds(2));
        assertThat(line.sent).hasSize(2);
        assertThat(line.sent.getFirst().reply())
                .as("nobody waits for it any more")
                .isCancelled();
        line.last().answer(200, "{'session':'a'}");
        rig.pass(Duration.ofSeconds(2));
        assertThat(line.sent).hasSize(3);
        assertThat(line.sent.stream().map(Sent::command).distinct()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 409, 413})
    void a_refusal_fails_the_one_and_releases_the_next(int status) {
        Line line = rig.connected("one");
        CompletableFuture<Receipt> first = rig.client.send("a", "1");
        rig.client.send("a", "2");
        line.last().refuse(status, "turn-conflict");
        assertThatThrownBy(first::join).cause().isInstanceOfSatisfying(ClientException.Refused.class, refused -> {
            assertThat(refused.problem().status()).isEqualTo(status);
            assertThat(refused).hasMessage("It is turn-conflict.");
        });
        assertThat(texts(line)).containsExactly("1", "2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection-not-found", "key-required"})
    void what_is_said_of_the_connection_is_not_said_of_the_message(String problem) {
        Line line = rig.connected("one");
        CompletableFuture<Receipt> first = rig.client.send("a", "1");
        line.last().refuse(problem.equals("key-required") ? 401 : 404, problem);
        assertThat(first).isNotDone();
        assertThat(line.closed).isTrue();
        Line second = rig.comeBack();
        second.welcome("two");
        second.last().answer(202, RECEIPT);
        assertThat(first).isCompleted();
    }

    @Test
    void each_has_a_key_of_its_own_unless_it_was_given_one() {
        Line line = rig.connected("one");
        rig.client.send("a", TurnDraft.text("1"));
        line.last().answer(202, RECEIPT);
        rig.client.send("a", TurnDraft.answer());
        line.last().answer(202, RECEIPT);
        rig.client.send("a", TurnDraft.text("3").withId("mine"));
        line.last().answer(202, RECEIPT);
        rig.client.interrupt("a", TurnDraft.text("4"));
        line.last().answer(202, RECEIPT);
        rig.client.sendCreating(null, TurnDraft.text("5"));
        List<ClientMessage.Send> sends = line.commands(ClientMessage.Send.class);
        assertThat(sends)
                .extracting(send -> send.turn().key())
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        assertThat(sends.get(2).turn().key()).isEqualTo("mine");
        assertThat(sends.get(2).turn().message())
                .as("a message has an id, the same each time")
                .satisfies(message ->
                        assertThat(message == null ? null : message.id()).isEqualTo("mine"));
        assertThat(sends.get(3).session()).isNull();
        assertThat(sends.get(3).create()).isTrue();
        assertThat(line.commands(ClientMessage.Interrupt.class)).hasSize(1);
    }

    @Test
    void the_end_of_the_connection_fails_who_waits_and_keeps_what_waits() {
        CompletableFuture<Receipt> receipt = rig.client.send("a", "1");
        var stopped = rig.client.stop("a", null, null);
        rig.client.connect();
        rig.line().refuse(401, null);
        assertThatThrownBy(receipt::join).cause().isInstanceOf(ClientException.Ended.class);
        assertThatThrownBy(stopped::join).cause().isInstanceOf(ClientException.Ended.class);
        assertThatThrownBy(() -> rig.client.send("a", "2")).isInstanceOf(ClientException.Ended.class);
        rig.client.connect();
        rig.line().welcome("one");
        assertThat(texts(rig.line())).containsExactly("1");
    }

    @Test
    void a_close_fails_who_waits() {
        Line line = rig.connected("one");
        CompletableFuture<Receipt> receipt = rig.client.send("a", "1");
        var stopped = rig.client.stop("a", null, null);
        rig.client.close();
        assertThatThrownBy(receipt::join).cause().isInstanceOf(ClientException.Closed.class);
        assertThatThrownBy(stopped::join).cause().isInstanceOf(ClientException.Closed.class);
        line.sent.forEach(sent -> sent.answer(202, RECEIPT));
        assertThat(rig.timers.size()).isZero();
    }

    @Test
    void commands_that_are_sent_once_have_their_results() {
        Line line = rig.connected("one");
        var stopped = rig.client.stop("a", "t", null);
        line.last().answer(200, "{'accepted':true,'turn':'t','state':'streaming'}");
        assertThat(stopped.join().accepted()).isTrue();
        var answered = rig.client.answer("a", "t", ToolAnswer.approve("c"));
        line.last().answer(200, "{'effect':'applied','turn':'t','state':'streaming'}");
        assertThat(answered.join().turn()).isEqualTo("t");
        var mode = rig.client.mode("a", "plan");
        line.last().answer(200, "{'mode':'plan'}");
        assertThat(mode.join().mode()).isEqualTo("plan");
        var closed = rig.client.closeSession("a", "done");
        line.last().answer(200, "{'accepted':false,'reason':'not driven'}");
        assertThat(closed.join().reason()).isEqualTo("not driven");
        var refused = rig.client.mode("a", "x");
        line.last().refuse(403, "not-authorized");
        assertThatThrownBy(refused::join).cause().isInstanceOf(ClientException.Refused.class);
    }

    @Test
    void commands_that_are_sent_once_are_bounded_too() {
        for (int i = 0; i < Controls.MAX_COMMANDS; i++) {
            rig.client.mode("a", "plan");
        }
        assertThatThrownBy(() -> rig.client.mode("a", "plan")).isInstanceOf(ClientException.Full.class);
    }

    @Test
    void a_process_that_ends_goes_on_with_its_outbox_in_the_next() throws IOException {
        Rig before = new Rig(new FileOutboxStore(folder));
        before.client.send("a", "1");
        before.client.send("a", "2");
        before.client.interrupt("a", TurnDraft.text("3").withAgent("demo"));
        Line line = before.connected("one");
        line.last().answer(202, RECEIPT);
        ClientMessage uncertain = line.last().command();
        before.client.close();

        Rig after = new Rig(new FileOutboxStore(folder));
        assertThat(after.client.outbox()).hasSize(2);
        after.client.send("a", "4");
        Line next = after.connected("two");
        assertThat(next.last().command()).isEqualTo(uncertain);
        next.last().answer(202, RECEIPT);
        next.last().answer(202, RECEIPT);
        next.last().answer(202, RECEIPT);
        assertThat(next.types()).containsExactly("send", "interrupt", "send");
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void a_file_that_is_no_entry_is_left_alone() throws IOException {
        Rig before = new Rig(new FileOutboxStore(folder));
        before.client.send("a", "1");
        before.client.send("a", "2");
        List<Path> files = new ArrayList<>();
        try (var all = Files.list(folder)) {
            all.sorted().forEach(files::add);
        }
        Files.writeString(files.getFirst(), "{\"half\":");
        Files.writeString(folder.resolve("unfinished"), "{");
        Files.writeString(folder.resolve("notes.txt"), "mine");
        Rig after = new Rig(new FileOutboxStore(folder));
        assertThat(after.client.outbox()).hasSize(1);
        after.client.send("a", "3");
        assertThat(new Rig(new FileOutboxStore(folder)).client.outbox()).hasSize(2);
        assertThat(folder.resolve("notes.txt")).exists();
    }

    @Test
    void what_cannot_be_kept_is_not_sent() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> new Rig(new FileOutboxStore(file))).isInstanceOf(java.io.UncheckedIOException.class);
        Path gone = Files.createDirectory(folder.resolve("gone"));
        Rig kept = new Rig(new FileOutboxStore(gone));
        Files.delete(gone);
        assertThatThrownBy(() -> kept.client.send("a", "1"))
                .isInstanceOf(java.io.UncheckedIOException.class)
                .hasMessageContaining("nothing was sent");
        assertThat(kept.client.outbox()).isEmpty();
    }
}
