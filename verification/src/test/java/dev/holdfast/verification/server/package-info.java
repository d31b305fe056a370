/** The server as a process: how it starts and how it ends. */
@NullMarked
package dev.holdfast.verification.server;

import org.jspecify.annotations.NullMarked;
