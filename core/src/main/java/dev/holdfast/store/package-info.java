/** The storage port, the formats of what is stored, and the committer that groups all changes into durable transactions. */
@NullMarked
package dev.holdfast.store;

import org.jspecify.annotations.NullMarked;
