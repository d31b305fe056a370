/** Tests of the demonstration. */
@NullMarked
package dev.holdfast.server.demo;

import org.jspecify.annotations.NullMarked;
