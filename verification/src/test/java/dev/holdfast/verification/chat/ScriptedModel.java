package dev.holdfast.verification.chat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Router;
import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A provider of OpenAI's responses whose runs go on while its readers are killed. It says {@code Answer N to: QUESTION. That is all.} in eleven
 * events, each when a client of the test asks for it.
 */
public final class ScriptedModel implements Prop {

    private static final int MAX_EVENTS = 1_000;
    private static final Pattern ASKED = Pattern.compile("\"type\":\"input_text\",\"text\":\"([^\"]*)\"");
    private static final Fault REFUSAL = new Fault.Refuse(400, "{\"error\":{\"message\":\"I am out of words\"}}");

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.gated());
    private final AtomicInteger answers = new AtomicInteger();

    public ScriptedModel() {
        upstream.script(request -> Optional.of(answer(request)));
    }

    @Override
    public void addTo(Router.Builder routes) {
        routes.add("POST", "/test/model/produce", call -> {
            upstream.release(call.query().number("events", 0, 1, MAX_EVENTS));
            Answers.empty(call.exchange(), 204, new Headers());
        });
        routes.add("POST", "/test/model/stopped", call -> {
            upstream.awaitStatus("resp_loopback_" + answers.get(), "cancelled");
            Answers.empty(call.exchange(), 204, new Headers());
        });
        routes.add("POST", "/test/model/refuse", call -> {
            upstream.misbehave(REFUSAL);
            Answers.empty(call.exchange(), 204, new Headers());
        });
    }

    @Override
    public List<String> serverOptions() {
        return List.of("--model-url", upstream.baseUrl().toString(), "--model-name", "m", "--model-api", "responses");
    }

    private Recording answer(LoopbackRequest request) {
        String asked = ASKED.matcher(request.body())
                .results()
                .map(MatchResult::group)
                .reduce((first, second) -> second)
                .map(last -> ASKED.matcher(last).replaceFirst("$1"))
                .orElse("nothing");
        List<String> events = new ArrayList<>();
        events.add("{'type':'response.created','sequence_number':0,'response':{'id':'resp_1','model':'m'}}");
        for (String word :
                List.of("Answer ", answers.incrementAndGet() + " ", "to: ", asked, ". ", "That ", "is ", "all.")) {
            events.add(
                    "{'type':'response.output_text.delta','sequence_number':%d,'item_id':'t','content_index':0,'delta':'%s'}"
                            .formatted(events.size(), word));
        }
        events.add("{'type':'response.output_text.done','sequence_number':%d,'item_id':'t','content_index':0}"
                .formatted(events.size()));
        events.add("{'type':'response.completed','sequence_number':%d,'response':{}}".formatted(events.size()));
        return Recording.of(
                events.stream().map(event -> event.replace('\'', '"')).toList());
    }

    @Override
    public void close() {
        upstream.close();
    }
}
