package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.SearchNotSupported;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordQuery.Found;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages of one tenant by their words. Each shard names its youngest matches; those of all are merged by position, and of equal ones
 * by the shard's number, which together are the cursor. A text is read only of what is shown.
 *
 * <p>Thread-safe.
 */
final class Search {

    private static final Pattern CURSOR = Pattern.compile("(\\d{1,19})\\.(\\d{1,5})");
    private static final Comparator<Match> YOUNGEST_FIRST = Comparator.comparingLong(
                    (Match match) -> match.found().position())
            .reversed()
            .thenComparingInt(Match::shard);

    private final Shards<SessionEngine> shards;
    private final String tenant;

    Search(Shards<SessionEngine> shards, String tenant) {
        this.shards = shards;
        this.tenant = tenant;
    }

    private record Match(Found found, int shard) {
        String cursor() {
            return found.position() + "." + shard;
        }
    }

    /** A message that was found, with what is shown of it. */
    private record Shown(SessionRow session, MessageRow message, byte[] content) {}

    /**
     * @throws SearchNotSupported if the store has no search
     * @throws WrongCursor if the cursor is none of a search
     */
    SearchPage find(String question, @Nullable String cursor, int limit) {
        Sessions.checkPage("hits", limit);
        Match after = cursor == null ? null : parse(cursor);
        List<String> words = Words.ofQuestion(question);
        if (words.isEmpty()) {
            return new SearchPage(List.of(), null);
        }
        List<Match> matches = matches(words, after, limit + 1);
        return page(matches, words, limit);
    }

    private static Match parse(String cursor) {
        Matcher matcher = CURSOR.matcher(cursor);
        if (matcher.matches()) {
            try {
                return new Match(new Found(Long.parseLong(matcher.group(1)), 0, 0), Integer.parseInt(matcher.group(2)));
            } catch (NumberFormatException e) { // 19 digits may be too many
                throw wrong();
            }
        }
        throw wrong();
    }

    private static WrongCursor wrong() {
        return new WrongCursor("This is no cursor of a search. Send \"next\" exactly as it was given.");
    }

    private List<Match> matches(List<String> words, @Nullable Match after, int limit) {
        List<String> whole =
                words.stream().filter(word -> !Words.isBeginning(word)).toList();
        List<String> beginnings = words.stream().filter(Words::isBeginning).toList();
        long before = after == null ? Long.MAX_VALUE : Math.max(0, after.found().position() + 1);
        WordQuery query = new WordQuery(tenant, whole, beginnings, before, limit + 1);
        List<List<Found>> pages =
                shards.onEach(engine -> engine.streams().store().read(reads -> reads.find(query)));
        List<Match> matches = new ArrayList<>();
        for (int shard = 0; shard < pages.size(); shard++) {
            for (Found found : pages.get(shard)) {
                Match match = new Match(found, shard);
                if (after == null || YOUNGEST_FIRST.compare(match, after) > 0) {
                    matches.add(match);
                }
            }
        }
        matches.sort(YOUNGEST_FIRST);
        return matches.size() > limit ? matches.subList(0, limit) : matches;
    }

    private SearchPage page(List<Match> matches, List<String> words, int limit) {
        Predicate<String> wanted = word -> words.stream().anyMatch(each -> Words.isFound(each, word));
        List<SearchHit> hits = new ArrayList<>();
        long bytes = 0;
        Match last = null;
        for (Match match : matches) {
            if (hits.size() == limit || (last != null && bytes >= SessionLimits.MAX_SEARCH_PAGE_BYTES)) {
                return new SearchPage(List.copyOf(hits), last == null ? null : last.cursor());
            }
            last = match;
            Optional<Shown> shown = shards.on(
                    match.found().sessionKey(),
                    engine -> engine.streams().store().read(reads -> show(reads, match.found())));
            if (shown.isPresent()) {
                bytes += shown.get().content().length;
                String text = shards.of(match.found().sessionKey())
                        .contents()
                        .text(shown.get().content());
                hits.add(hit(shown.get(), text, wanted));
            }
        }
        return new SearchPage(List.copyOf(hits), null);
    }

    /** Nothing if it was deleted meanwhile. */
    private Optional<Shown> show(StoreReads reads, Found found) {
        Optional<SessionRow> session = reads.session(found.sessionKey())
                .filter(row -> !row.deleted() && row.tenant().equals(tenant));
        Optional<MessageRow> message = reads.message(found.sessionKey(), found.seq());
        return session.isEmpty() || message.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Shown(session.get(), message.get(), reads.messageContent(found.sessionKey(), found.seq())));
    }

    private static SearchHit hit(Shown shown, String text, Predicate<String> wanted) {
        return new SearchHit(
                shown.session().id(),
                shown.session().title(),
                shown.message().id(),
                shown.message().role(),
                Snippet.of(text, wanted),
                Instant.ofEpochMilli(shown.message().createdAt()));
    }
}
