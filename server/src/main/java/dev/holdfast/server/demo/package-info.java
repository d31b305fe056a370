/** The demonstration: a real server is killed in the middle of a recorded answer, and the verdict is computed from the bytes seen. */
@NullMarked
package dev.holdfast.server.demo;

import org.jspecify.annotations.NullMarked;
