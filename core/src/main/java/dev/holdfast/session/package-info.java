/** Sessions: conversations, each a tree of messages and its feed of events. */
@NullMarked
package dev.holdfast.session;

import org.jspecify.annotations.NullMarked;
