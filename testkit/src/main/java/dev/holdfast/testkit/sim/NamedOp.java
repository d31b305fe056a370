package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.sim.Op.Expecting;
import dev.holdfast.testkit.sim.Op.Numbering;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event that names its stream instead of having a writer. Types are {@link NamedCalls#typeName} by number. */
sealed interface NamedOp {

    /** How long a stream lives and what it keeps; 0 stands for no limit. */
    record Terms(int tag, int type, int ttlSeconds, int expiresInSeconds, int keptSeconds, int keptBytes) {}

    /** Where a fork branches off. {@code anchorPerMille} -1 stands for the tail, whatever it is. */
    record Branch(int source, int anchorPerMille, int past, boolean bytes) {}

    record Create(
            int stream,
            Terms terms,
            List<Integer> sizes,
            boolean settled,
            @Nullable Branch from) implements NamedOp {}

    /** An append with all that can go with it. {@code writer} -1 stands for none, {@code order} -1 for no order. */
    record Send(
            int stream,
            int writer,
            List<Integer> sizes,
            Numbering numbering,
            int producer,
            Expecting expecting,
            int order,
            boolean settles,
            int type,
            boolean onlyAsks)
            implements NamedOp {}

    record Touch(int stream) implements NamedOp {}

    /** Forks of forks, from {@link NamedCalls#CHAIN} on. */
    record Chain(int links) implements NamedOp {}
}
