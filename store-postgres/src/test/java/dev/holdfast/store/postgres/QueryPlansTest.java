package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No statement of the store reads a whole table: the server's own plans say so. */
final class QueryPlansTest {

    private static final List<Class<?>> TABLES = List.of(
            ShardTable.class,
            KeyTable.class,
            LogTable.class,
            SegmentTable.class,
            BlockTable.class,
            StreamTable.class,
            SessionTable.class,
            FeedTable.class,
            PieceTable.class,
            MessageTable.class,
            TurnTable.class,
            PropertyTable.class);

    private static final Pattern STATEMENT = Pattern.compile("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*");

    /**
     * What sorts on purpose: the log when a writer starts, a session's few live turns, the one row that says how far the sweep went, and a path by
     * its steps.
     */
    private static final Set<String> SORTS =
            Set.of("SegmentTable.ALL", "SegmentTable.SWEEP", "TurnTable.LIVE_IN_SESSION", "MessageTable.ANCESTORS");

    private static List<Field> statements() {
        List<Field> fields = new ArrayList<>();
        for (Class<?> table : TABLES) {
            for (Field field : table.getDeclaredFields()) {
                if (field.getType() == String.class && Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields;
    }

    /** Placeholders as the server numbers them. */
    private static String numbered(String sql) {
        int[] number = new int[1];
        return Pattern.compile("\\?")
                .matcher(sql)
                .replaceAll((MatchResult r) -> Matcher.quoteReplacement("$" + ++number[0]));
    }

    private static List<String> plan(Connection connection, String sql) throws Exception {
        List<String> plan = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("EXPLAIN (GENERIC_PLAN) " + sql)) {
            while (result.next()) {
                plan.add(result.getString(1));
            }
        }
        return plan;
    }

    @Test
    void every_statement_searches_by_a_key_or_an_index() throws Exception {
        PostgresServer server = PostgresServer.shared();
        PostgresSettings settings = server.settings();
        PostgresDatabase.open(settings).close();
        SchemaName schema = new SchemaName(settings.schema());
        int explained = 0;
        try (Connection connection = DriverManager.getConnection(
                        server.jdbcUrl() + "?preferQueryMode=simple", "postgres", ""); // placeholders stay in the text
                Statement planner = connection.createStatement()) {
            // Then a scan of a whole table, or a sort, is only planned where nothing else is possible; the tables are
            // empty.
            planner.execute("SET enable_seqscan = off");
            planner.execute("SET enable_sort = off");
            planner.execute("SET enable_bitmapscan = off");
            for (Field field : statements()) {
                String sql = (String) field.get(null);
                String name = field.getDeclaringClass().getSimpleName() + "." + field.getName();
                boolean prefix = field.getName().equals("SELECT") && sql.endsWith(" ");
                if (prefix || !STATEMENT.matcher(sql).matches()) {
                    continue; // a part of several statements
                }
                explained++;
                for (String step : plan(connection, numbered(schema.qualify(sql)))) {
                    assertThat(step).as(name).doesNotContain("Seq Scan on holdfast_");
                    if (!SORTS.contains(name)) {
                        assertThat(step).as(name).doesNotContain("Sort");
                    }
                }
            }
        }
        assertThat(explained).isGreaterThan(70);
    }
}
