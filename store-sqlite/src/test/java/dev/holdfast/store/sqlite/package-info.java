/** Tests of the embedded store on real files. */
@NullMarked
package dev.holdfast.store.sqlite;

import org.jspecify.annotations.NullMarked;
