/** Commands that talk to a server that runs, over the session transport. */
@NullMarked
package dev.holdfast.server.remote;

import org.jspecify.annotations.NullMarked;
