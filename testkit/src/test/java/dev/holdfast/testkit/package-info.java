/** Tests of the test kit, and of the core by means of it. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
