/** Agents over the APIs of model providers. */
@NullMarked
package dev.holdfast.models;

import org.jspecify.annotations.NullMarked;
