/** A provider on this machine that replays recorded answers, for tests and for trying things out without a network. */
@NullMarked
package dev.holdfast.models.loopback;

import org.jspecify.annotations.NullMarked;
