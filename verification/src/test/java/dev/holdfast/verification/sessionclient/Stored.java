package dev.holdfast.verification.sessionclient;

import dev.holdfast.Holdfast;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a store has, once its server is gone. */
final class Stored {

    private static final int PAGE = 100;

    private Stored() {}

    /** The numbers of all events of a session's feed. */
    static List<Long> feedNumbers(Path data, String session) {
        try (Holdfast holdfast = Holdfast.open(data)) {
            Session stored = holdfast.sessions().get(session);
            List<Long> numbers = new ArrayList<>();
            for (List<FeedEvent> page = stored.feed().read(0, PAGE);
                    !page.isEmpty();
                    page = stored.feed().read(numbers.size(), PAGE)) {
                page.forEach(event -> numbers.add(event.seq()));
            }
            return numbers;
        }
    }
}
