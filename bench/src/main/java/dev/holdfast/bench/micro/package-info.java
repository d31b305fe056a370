/** JMH benchmarks of the hot, pure parts. */
@NullMarked
package dev.holdfast.bench.micro;

import org.jspecify.annotations.NullMarked;
