package dev.holdfast.store.sqlite;

/** The tables as one connection sees them. */
final class Tables {

    final MetaTable meta;
    final JournalTable journal;
    final StreamTable streams;
    final BlockTable blocks;
    final SessionTable sessions;
    final FeedTable feed;
    final MessageTable messages;
    final WordTable words;
    final BlobTable blobs;
    final TurnTable turns;
    final PropertyTable properties;

    Tables(Statements statements) {
        ContentTable contents = new ContentTable(statements);
        this.meta = new MetaTable(statements);
        this.journal = new JournalTable(statements, meta);
        this.streams = new StreamTable(statements);
        this.blocks = new BlockTable(statements);
        this.sessions = new SessionTable(statements);
        this.feed = new FeedTable(statements);
        this.words = new WordTable(statements);
        this.blobs = new BlobTable(statements);
        this.messages = new MessageTable(statements, contents, words, blobs);
        this.turns = new TurnTable(statements, contents);
        this.properties = new PropertyTable(statements);
    }
}
