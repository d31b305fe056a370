/** A real child process on a real store, killed with SIGKILL; what is found afterwards is checked from outside. */
@NullMarked
package dev.holdfast.verification.crash;

import org.jspecify.annotations.NullMarked;
