package dev.holdfast.stream;

/**
 * Who reads a stream in this process at one moment.
 *
 * @param readers how many are attached
 * @param maxLagChunks how many durable chunks the one that is furthest behind has not read yet
 */
public record Audience(int readers, long maxLagChunks) {}
