package dev.holdfast.verification.sessionclient;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A provider whose runs go on while its readers are killed. It says twelve words, one when it is told to. */
final class Model implements AutoCloseable {

    static final List<String> WORDS = List.of(
            "one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine ", "ten ", "eleven ",
            "twelve");

    static final String ANSWER = String.join("", WORDS);

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.gated());

    Model() {
        Recording answer = answer();
        upstream.script(request -> Optional.of(answer));
    }

    private static Recording answer() {
        List<String> events = new ArrayList<>();
        events.add("{'type':'response.created','sequence_number':0,'response':{'id':'resp_1','model':'m'}}");
        for (String word : WORDS) {
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

    /** Lets it begin, and say its first words. */
    void begin(int words) {
        upstream.release(1 + words);
    }

    void say(int words) {
        upstream.release(words);
    }

    /** Lets it end, once it said all its words. */
    void end() {
        upstream.release(2);
    }

    /** Options of a server that asks it. */
    String[] options(String... others) {
        List<String> options = new ArrayList<>(
                List.of("--model-url", upstream.baseUrl().toString(), "--model-name", "m", "--model-api", "responses"));
        options.addAll(List.of(others));
        return options.toArray(String[]::new);
    }

    @Override
    public void close() {
        upstream.close();
    }
}
