package dev.holdfast.stream;

/**
 * An idempotent producer's numbering of one append, so that a repeated append is recognised. The first append of each epoch has sequence 0,
 * and each next one is greater by one.
 *
 * @param id the producer's name, at most {@value StreamLimits#MAX_NAME_BYTES} bytes
 * @param epoch the producer's own incarnation, from 0; a higher one fences the lower ones
 * @param seq the append's number within the epoch, from 0
 */
public record Producer(String id, long epoch, long seq) {}
