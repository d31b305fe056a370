package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How forked servers end, and that none outlives its tests. */
@InProcess("It ends forked servers by itself")
final class ForkedServerTest {

    @TempDir
    private Path folder;

    @Test
    void a_server_that_ended_before_it_was_killed_fails_its_test() throws Exception {
        ForkedServer server = ForkedServer.start(folder, Plan.plain());
        assertThat(new ServerSide(server).port()).isPositive();
        server.process().toHandle().destroy();
        assertThat(server.process().waitFor()).isPositive();
        assertThatThrownBy(() -> new ServerSide(server).port())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ended by itself");
        assertThatThrownBy(server::close).isInstanceOf(AssertionError.class).hasMessageContaining("not by the kill");
    }

    @Test
    void a_server_whose_tests_are_gone_halts() throws Exception {
        ForkedServer server = ForkedServer.start(folder, Plan.plain());
        assertThat(new ServerSide(server).port()).isPositive();
        server.process().getOutputStream().close(); // as the end of a process closes all it has
        assertThat(server.process().waitFor()).isZero();
    }

    @Test
    void an_order_that_fails_fails_the_test_and_the_server_lives() throws Exception {
        try (ForkedServer server = ForkedServer.start(folder, Plan.plain())) {
            ServerSide there = new ServerSide(server);
            assertThatThrownBy(() -> there.cursor("nowhere"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("SessionNotFound");
            there.create("somewhere");
            assertThat(there.cursor("somewhere")).isNotEmpty();
        }
    }
}
