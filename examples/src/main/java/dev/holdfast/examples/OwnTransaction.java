package dev.holdfast.examples;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnStatus;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;

/**
 * A turn whose end also writes a row of the application: the message, the end of the stream and the row are one transaction, so that a crash
 * leaves all of them or none.
 */
public final class OwnTransaction {

    private OwnTransaction() {}

    public static void main(String[] args) throws InterruptedException {
        run(
                Path.of(args.length == 0 ? "holdfast-data" : args[0]),
                new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }

    static void run(Path folder, PrintStream out) throws InterruptedException {
        Agent greeter = turn -> {
            turn.emit("Hello, ");
            turn.emit("you.");
            return AgentResult.completed();
        };
        HoldfastSettings settings =
                HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent("greeter", greeter));
        try (Holdfast holdfast = Holdfast.open(folder, settings)) {
            holdfast.sessions().create("chat");
            TurnRequest request = TurnRequest.answer("turn-1", "greeter", MessageDraft.of("ask-1", "user", "Hi!"))
                    .committing(handle -> {
                        Connection connection = handle.unwrap(Connection.class).orElseThrow();
                        try (Statement statement = connection.createStatement()) {
                            statement.executeUpdate("CREATE TABLE IF NOT EXISTS billing (turn TEXT PRIMARY KEY)");
                            statement.executeUpdate("INSERT INTO billing VALUES ('turn-1')");
                        }
                    });
            TurnStatus end = holdfast.turns().start("chat", request).await();
            String answer = holdfast.sessions()
                    .get("chat")
                    .message(end.messageId())
                    .orElseThrow()
                    .text();
            out.println(end.state() + ": " + answer);
        }
    }
}
