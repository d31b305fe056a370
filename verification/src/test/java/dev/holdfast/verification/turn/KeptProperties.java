package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;

import dev.holdfast.Holdfast;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import java.util.List;

/** What Holdfast itself keeps with the session of these tests, which applications do not see. */
final class KeptProperties {

    private static final int MAX = 100;

    private KeptProperties() {}

    static List<PropertyRow> of(Store store, String prefix) {
        return store.read(reads -> reads.session(Holdfast.DEFAULT_TENANT, SESSION)
                .map(session -> reads.properties(owner(session.key()), prefix, "", MAX))
                .orElse(List.of()));
    }

    /** Writes one, as another version might have. Nobody else may have the store. */
    static void put(Store store, String name, byte[] value) {
        StoreTransaction transaction = store.begin();
        long session = transaction
                .session(Holdfast.DEFAULT_TENANT, SESSION)
                .orElseThrow()
                .key();
        transaction.putProperty(new PropertyRow(owner(session), name, 1, value, 0));
        var unused = transaction.commit();
    }

    private static String owner(long session) {
        return new PropertyRow.Owner.Session(session).encoded();
    }
}
