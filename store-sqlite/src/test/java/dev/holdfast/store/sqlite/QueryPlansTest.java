package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No statement of the store reads a whole table: SQLite's own plans say so. */
final class QueryPlansTest {

    private static final List<Class<?>> TABLES = List.of(
            MetaTable.class,
            JournalTable.class,
            BlockTable.class,
            StreamTable.class,
            SessionTable.class,
            FeedTable.class,
            ContentTable.class,
            MessageTable.class,
            TurnTable.class,
            PropertyTable.class);

    private static final Pattern STATEMENT =
            Pattern.compile("(?s)\\s*(/\\*.*\\*/)?\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*");

    @TempDir
    Path folder;

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

    private static List<String> plan(Connection connection, String sql) throws Exception {
        List<String> plan = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (result.next()) {
                plan.add(result.getString("detail"));
            }
        }
        return plan;
    }

    @Test
    void every_statement_searches_by_a_key_or_an_index() throws Exception {
        new OpenStore(folder).close();
        int explained = 0;
        try (Connection connection = Sql.connect(folder)) {
            for (Field field : statements()) {
                String sql = (String) field.get(null);
                String name = field.getDeclaringClass().getSimpleName() + "." + field.getName();
                boolean prefix = field.getName().equals("SELECT") && sql.endsWith(" ");
                if (prefix || !STATEMENT.matcher(sql).matches() || name.equals("JournalTable.ALL")) {
                    continue; // the start of several statements; or the recovery, which reads the whole log on purpose
                }
                explained++;
                for (String step : plan(connection, sql)) {
                    boolean scansTable = step.matches("SCAN holdfast_\\w+") || step.contains("AUTOMATIC");
                    assertThat(scansTable).as("%s: %s", name, step).isFalse();
                    boolean sorts = step.contains("TEMP B-TREE") && !name.equals("TurnTable.LIVE_IN_SESSION");
                    assertThat(sorts).as("%s: %s", name, step).isFalse();
                }
            }
        }
        assertThat(explained).isGreaterThan(60);
    }
}
