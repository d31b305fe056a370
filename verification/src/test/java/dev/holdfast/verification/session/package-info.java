/** Sessions on a real store: messages, feeds, cursors, deletion and properties. */
@NullMarked
package dev.holdfast.verification.session;

import org.jspecify.annotations.NullMarked;
