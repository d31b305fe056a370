@NullMarked
package dev.holdfast.store.postgres;

import org.jspecify.annotations.NullMarked;
