package dev.holdfast.verification.chat;

import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Serves the bundled front ends: {@code /page/MAJOR} is a chat page with that major of the AI SDK. */
final class Pages implements Prop {

    private static final String PAGE = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Chat</title>
            <link rel="icon" href="data:,">
            <div id="root"></div>
            <script type="module" src="/page/MAJOR/app.js"></script>
            """;

    private final Path bundles;

    Pages(Path bundles) {
        this.bundles = bundles;
    }

    @Override
    public void addTo(Router.Builder routes) {
        routes.add("GET", "/page/{major}", call -> {
            byte[] page = PAGE.replace("MAJOR", major(call)).getBytes(StandardCharsets.UTF_8);
            call.exchange().answer(200, new Headers().set("Content-Type", "text/html; charset=utf-8"), page);
        });
        routes.add("GET", "/page/{major}/app.js", this::script);
    }

    private void script(Call call) throws IOException {
        byte[] script = Files.readAllBytes(bundles.resolve(major(call) + ".js"));
        call.exchange().answer(200, new Headers().set("Content-Type", "text/javascript; charset=utf-8"), script);
    }

    private static String major(Call call) {
        String major = call.path("major");
        if (!major.matches("[5-7]")) {
            throw HttpProblem.badRequest("There are pages for 5, 6 and 7.");
        }
        return major;
    }
}
