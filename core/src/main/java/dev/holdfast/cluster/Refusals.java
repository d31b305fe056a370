package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreLocked;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import dev.holdfast.error.Refusal;
import java.nio.charset.StandardCharsets;

/**
 * How one node tells another that it refused a call. The caller gets the same error that it would have got from its own engine: same class,
 * message and facts.
 *
 * <p><b>What concerns the other node only.</b> That its store is poisoned or locked, its Holdfast closed or the database too new for it is no
 * state of the caller's: the shard goes to another node, and the same call will be taken there. These come as {@code StoreBusy}, to be tried
 * again. A full, failing or damaged store is the database that both share, and comes as what it is.
 */
public final class Refusals {

    private final RecordCodec codec;

    public Refusals(RecordCodec codec) {
        this.codec = codec;
    }

    public byte[] encode(HoldfastException error) {
        Refusal refusal = Refusal.of(error);
        return codec.encode(
                Refusal.class,
                new Refusal(
                        refusal.kind(), wellFormed(refusal.message()), refusal.numbers(), wellFormed(refusal.text())));
    }

    /**
     * The error to raise for the caller.
     *
     * @throws HoldfastException.InvalidArgument if the bytes are no refusal
     */
    public HoldfastException decode(byte[] bytes) {
        Refusal refusal = codec.decode(Refusal.class, bytes);
        HoldfastException error = refusal.exception()
                .orElseGet(() -> failed(
                        "The shard's node refused with %s, which this version does not know: %s Update this node."
                                .formatted(refusal.kind(), refusal.message())));
        return switch (error) {
            case StorePoisoned e ->
                // the commit that failed may have been this call's own
                busy(
                        e,
                        e.isLeaseLost()
                                ? "Try again."
                                : "It may have been written. Ask how it stands before you send it again.");
            case StoreLocked e -> busy(e, "Try again.");
            case StoreTooNew e -> busy(e, "Try again.");
            case Closed e -> busy(e, "Try again.");
            default -> error;
        };
    }

    private static StoreBusy busy(HoldfastException theirs, String advice) {
        return new StoreBusy("The shard's node gives it up: %s %s".formatted(theirs.getMessage(), advice), theirs);
    }

    private static StoreFailed failed(String message) {
        return new StoreFailed(message, new IllegalStateException("an error of a newer version"));
    }

    /** A message may quote what was refused for not being well-formed. */
    private static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
