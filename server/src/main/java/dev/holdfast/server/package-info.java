/** The server that runs on its own: command line, configuration and assembly of the other modules. */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
