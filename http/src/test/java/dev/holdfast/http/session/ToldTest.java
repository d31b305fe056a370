package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.sending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.Json;
import dev.holdfast.session.SessionCursor;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** That tests of servers fail when clients were told what is not in the store (VISIBLE-IS-DURABLE). */
@ParameterizedClass
@EnumSource
final class ToldTest {

    private final Where where;

    @TempDir
    private Path folder;

    ToldTest(Where where) {
        this.where = where;
    }

    @Test
    void an_event_that_the_store_does_not_have_is_missed() throws Exception {
        Wire wire = Wire.open(where, folder);
        wire.there.create("s");
        SessionCursor cursor = SessionCursor.parse(wire.there.cursor("s"));
        wire.told.message(Json.MAPPER
                .createObjectNode()
                .put("session", "s")
                .put("cursor", cursor.withFeed(cursor.feedNext() + 1).token()));
        assertThatThrownBy(wire::close).isInstanceOf(AssertionError.class).hasMessageContaining("events of s");
    }

    @Test
    void a_turn_that_the_store_does_not_have_is_missed() throws Exception {
        Wire wire = Wire.open(where, folder);
        try (Line line = wire.connect()) {
            assertThat(line.done(sending("s", "m1")).get("started").booleanValue())
                    .isTrue();
        }
        wire.there.delete("s"); // of which nobody was told
        assertThatThrownBy(wire::close).isInstanceOf(AssertionError.class).hasMessageContaining("m1");
    }
}
