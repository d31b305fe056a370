package dev.holdfast.node;

import dev.holdfast.session.MessageContents;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.Committer;
import dev.holdfast.store.Time;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.turn.TurnSettings;

/**
 * How the engines of a shard behave.
 *
 * @param committer bounds of the queue in front of the store
 * @param streams limits of streams
 * @param sessions limits of sessions, messages, feeds and properties
 * @param contents reads the contents of messages
 * @param turns agents, and how turns run
 * @param time clocks and randomness
 */
public record EngineSettings(
        Committer.Limits committer,
        StreamLimits streams,
        SessionLimits sessions,
        MessageContents contents,
        TurnSettings turns,
        Time time) {

    EngineSettings withTime(Time clocks) {
        return new EngineSettings(committer, streams, sessions, contents, turns, clocks);
    }

    /** Those of one shard of many: what bounds the memory of queues and open blocks is divided, but for a least that a shard can work with. */
    EngineSettings dividedBy(int shards) {
        long least = Math.min(StreamLimits.MIN_SHARD_BYTES, committer.maxQueuedBytes());
        long queued = Math.max(least, committer.maxQueuedBytes() / shards);
        return new EngineSettings(
                new Committer.Limits(queued, committer.maxBatchBytes()),
                streams.dividedBy(shards),
                sessions,
                contents,
                turns,
                time);
    }
}
