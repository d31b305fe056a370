package dev.holdfast.verification.cluster;

import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A provider of OpenAI's responses whose runs go on while its readers are killed. Asked to {@code count N}, it says the numbers up to N, each by itself. */
final class CountingModel implements AutoCloseable {

    private static final Pattern ASKED = Pattern.compile("count (\\d+)");

    private final LoopbackUpstream upstream;
    private final AtomicInteger answers = new AtomicInteger();

    CountingModel(Pace pace) {
        upstream = LoopbackUpstream.start(pace);
        upstream.script(request -> Optional.of(answer(request)));
    }

    /** What it says in the end. */
    static String counted(int last) {
        return IntStream.rangeClosed(1, last).mapToObj(number -> number + " ").collect(Collectors.joining());
    }

    private Recording answer(LoopbackRequest request) {
        answers.incrementAndGet();
        Matcher asked = ASKED.matcher(request.body());
        int last = 0;
        while (asked.find()) { // the latest question is the last one
            last = Integer.parseInt(asked.group(1));
        }
        List<String> events = new ArrayList<>();
        events.add("{'type':'response.created','sequence_number':0,'response':{'id':'resp_1','model':'m'}}");
        for (int number = 1; number <= last; number++) {
            events.add(
                    "{'type':'response.output_text.delta','sequence_number':%d,'item_id':'t','content_index':0,'delta':'%d '}"
                            .formatted(events.size(), number));
        }
        events.add("{'type':'response.output_text.done','sequence_number':%d,'item_id':'t','content_index':0}"
                .formatted(events.size()));
        events.add("{'type':'response.completed','sequence_number':%d,'response':{}}".formatted(events.size()));
        return Recording.of(
                events.stream().map(event -> event.replace('\'', '"')).toList());
    }

    /** Lets a gated model begin an answer and say its first numbers. */
    void begin(int numbers) {
        upstream.release(1 + numbers);
    }

    /** Lets it say more. */
    void say(int numbers) {
        upstream.release(numbers);
    }

    /** Lets it end an answer whose numbers were all said. */
    void end() {
        upstream.release(2);
    }

    /** Waits until its latest answer was cancelled. */
    void awaitStopped() throws InterruptedException {
        upstream.awaitStatus("resp_loopback_" + answers.get(), "cancelled");
    }

    /** How many of those that asked it have gone away before its answer ended, as far as something was said to them since. */
    int lostReaders() {
        return upstream.lostReaders();
    }

    /** Options of servers that ask it. */
    List<String> options() {
        return List.of("--model-url", upstream.baseUrl().toString(), "--model-name", "m", "--model-api", "responses");
    }

    /** As above, of servers that learn of each other so. */
    List<String> options(Learning learning) {
        return Stream.concat(options().stream(), learning.options().stream()).toList();
    }

    @Override
    public void close() {
        upstream.close();
    }
}
