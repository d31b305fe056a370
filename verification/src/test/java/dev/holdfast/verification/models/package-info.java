/** Agents of the module {@code models} in turns on a real store. */
@NullMarked
package dev.holdfast.verification.models;

import org.jspecify.annotations.NullMarked;
