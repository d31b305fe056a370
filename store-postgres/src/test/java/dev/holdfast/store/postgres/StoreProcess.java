package dev.holdfast.store.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.store.Store;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;

/** What another JVM does with a shard until it is killed: turns that end with a message; says on its standard output what is acknowledged. */
final class StoreProcess {

    /** So many streams grow at once. */
    static final int STREAMS = 4;

    static final int CHUNKS_PER_TURN = 12;

    private StoreProcess() {}

    /** Arguments: the URL, the schema, the epoch, and a number for the names of the streams. */
    public static void main(String[] arguments) throws Exception {
        PostgresSettings settings = PostgresSettings.of(arguments[0])
                .withUser("postgres", "")
                .withSchema(arguments[1])
                .withShards(4);
        PostgresDatabase database = PostgresDatabase.open(settings);
        Store store = database.store(0, Long.parseLong(arguments[2]));
        Holdfast holdfast = Holdfast.open(store, HoldfastSettings.defaults());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            String writer = arguments[3] + "-" + i;
            threads.add(Thread.ofVirtual().start(() -> turns(holdfast, writer, settings.schema())));
        }
        say("open");
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void turns(Holdfast holdfast, String writer, String schema) {
        for (int turn = 0; ; turn++) {
            String name = writer + "-" + turn;
            StreamWriter stream = holdfast.streams().open(name);
            for (int i = 0; i < CHUNKS_PER_TURN; i++) {
                stream.append(name + ":" + i);
                say("chunk " + name + " " + i);
            }
            stream.settle(Settlement.completed().discard().commit(handle -> {
                Connection connection = handle.unwrap(Connection.class).orElseThrow();
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + schema + ".finished (name) VALUES (?)")) {
                    insert.setString(1, name);
                    insert.executeUpdate();
                }
            }));
            say("end " + name);
        }
    }

    @SuppressWarnings("SystemOut") // this is how the parent hears of it
    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
