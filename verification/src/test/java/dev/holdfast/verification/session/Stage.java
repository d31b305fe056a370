package dev.holdfast.verification.session;

import dev.holdfast.Holdfast;
import dev.holdfast.http.Call;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.verification.chat.ScriptedModel;
import dev.holdfast.verification.rig.Child;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What tests in Node ask of the test that runs them: server processes, which answer with what a scripted model says when it is told to, and one whose
 * agent asks for approvals.
 */
final class Stage implements AutoCloseable {

    private final ScriptedModel model = new ScriptedModel();
    private final ServerProcesses servers;
    private final JettyServer listener;
    private final Path scratch;
    private @Nullable Child payments; // guarded by this

    Stage(Path scratch) throws IOException {
        this.scratch = scratch;
        this.servers = new ServerProcesses(scratch, model.serverOptions());
        Router.Builder routes = Router.builder();
        model.addTo(routes);
        servers.addTo(routes);
        routes.add("POST", "/test/payments", this::startPayments);
        HttpLimits limits = HttpLimits.defaults();
        Trust trust = Trust.loopback(Holdfast.DEFAULT_TENANT);
        this.listener = new JettyServer("127.0.0.1", 0, limits, new FrontDoor(routes.build(), trust, limits));
        listener.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    private synchronized void startPayments(Call call) throws IOException {
        if (payments != null) {
            throw HttpProblem.badRequest("That server runs already.");
        }
        String origin = call.query()
                .text("origin")
                .orElseThrow(() -> HttpProblem.badRequest("Name the origin of the pages with \"origin\"."));
        Child started = Child.start(
                scratch, PaymentsMain.class, scratch.resolve("payments").toString(), origin);
        payments = started;
        AtomicReference<String> address = new AtomicReference<>("");
        started.readUntil(line -> line.startsWith("http://"), address::set);
        byte[] uri = address.get().getBytes(StandardCharsets.UTF_8);
        call.exchange().answer(200, new Headers().set("Content-Type", "text/plain"), uri);
    }

    @Override
    public synchronized void close() {
        listener.close();
        servers.close();
        if (payments != null) {
            payments.close();
        }
        model.close();
    }
}
