package dev.holdfast.store.postgres;

/** A shard's part of the tables as one transaction sees them. */
final class Tables {

    final ShardTable shards;
    final KeyTable keys;
    final LogTable log;
    final SegmentTable segments;
    final StreamTable streams;
    final BlockTable blocks;
    final SessionTable sessions;
    final FeedTable feed;
    final MessageTable messages;
    final WordTable words;
    final BlobTable blobs;
    final TurnTable turns;
    final PropertyTable properties;

    Tables(Pipeline pipeline, int shard) {
        PieceTable pieces = new PieceTable(pipeline, shard);
        this.shards = new ShardTable(pipeline, shard);
        this.keys = new KeyTable(pipeline, shard);
        this.log = new LogTable(pipeline, shard);
        this.segments = new SegmentTable(pipeline, shard);
        this.streams = new StreamTable(pipeline, shard);
        this.blocks = new BlockTable(pipeline, shard);
        this.sessions = new SessionTable(pipeline, shard);
        this.feed = new FeedTable(pipeline, shard);
        this.words = new WordTable(pipeline, shard);
        this.blobs = new BlobTable(pipeline, shard);
        this.messages = new MessageTable(pipeline, shard, pieces, words, blobs);
        this.turns = new TurnTable(pipeline, shard, pieces);
        this.properties = new PropertyTable(pipeline, shard);
    }
}
