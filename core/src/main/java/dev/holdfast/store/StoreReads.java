package dev.holdfast.store;

/** All that can be read, either on a snapshot or inside the write transaction (which sees its own changes). */
public interface StoreReads
        extends StreamReads, SessionReads, MessageReads, BlobReads, SearchReads, TurnReads, PropertyReads {}
