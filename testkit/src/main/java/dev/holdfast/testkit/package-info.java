/** For those who write or use a store: contract tests and simulation of the core. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
