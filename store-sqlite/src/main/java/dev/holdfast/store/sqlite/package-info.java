/** The store embedded in the process, kept in one SQLite file. */
@NullMarked
package dev.holdfast.store.sqlite;

import org.jspecify.annotations.NullMarked;
