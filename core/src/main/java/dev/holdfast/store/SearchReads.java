package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.SearchNotSupported;
import java.util.List;

/** Finding messages by their words. A store that cannot do that leaves these as they are, and those of {@link SearchWrites} too. */
public interface SearchReads {

    /**
     * Messages of sessions that are not deleted, highest position first.
     *
     * @throws SearchNotSupported if the store has no search
     */
    default List<WordQuery.Found> find(WordQuery query) {
        throw new SearchNotSupported();
    }

    /**
     * Messages whose words are still to be put, since an earlier version wrote them, in an order of the store's own; empty if none is left.
     * See {@link SearchWrites#passedOver}.
     */
    default List<MessageRow> withoutWords(int limit) {
        return List.of();
    }
}
