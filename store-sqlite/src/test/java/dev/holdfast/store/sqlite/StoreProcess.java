package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.StoreTransaction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What another JVM does with a store; says on its standard output what happened. */
final class StoreProcess {

    private StoreProcess() {}

    /** Arguments: the folder, what to do, and how often. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        SqliteStore.Options options = arguments[1].equals("migrate") ? newer() : SqliteStore.Options.defaults();
        try (SqliteStore store = SqliteStore.open(folder, Rows.settings(), options)) {
            Rows.Log log = new Rows.Log();
            store.recover(log);
            say("open " + log.positions.size());
            switch (arguments[1]) {
                case "hold" -> prompt();
                case "migrate" -> Runtime.getRuntime().halt(0);
                case "append" -> append(store, Integer.parseInt(arguments[2]));
                case "appendAndHalt" -> {
                    append(store, Integer.parseInt(arguments[2]));
                    Runtime.getRuntime().halt(0);
                }
                default -> throw new IllegalArgumentException(arguments[1]);
            }
        } catch (HoldfastException e) {
            say(e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    /** As a later version would open a store: with two more steps of its schema. */
    static SqliteStore.Options newer() {
        List<List<String>> steps = new ArrayList<>(Schema.STEPS);
        steps.add(List.of(
                "ALTER TABLE holdfast_sessions ADD COLUMN colour TEXT", "CREATE TABLE holdfast_extra (a INTEGER)"));
        steps.add(List.of("INSERT INTO holdfast_extra VALUES (3)"));
        return new SqliteStore.Options(steps, Checkpointer.Bounds.defaults());
    }

    private static void append(SqliteStore store, int times) {
        for (int i = 0; i < times; i++) {
            try {
                StoreTransaction tx = store.begin();
                tx.append(Rows.append(1, i, "chunk " + i));
                say("ack " + tx.commit().position());
            } catch (HoldfastException e) {
                say("refused " + e.getClass().getSimpleName());
                say("read " + store.read(reads -> reads.nextStreamExpiry()));
            }
        }
    }

    private static void prompt() throws IOException {
        int unused = System.in.read();
    }

    @SuppressWarnings("SystemOut") // this is how the parent hears of it
    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
