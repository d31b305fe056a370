/** Sessions: a tree of messages and a feed of events, and the properties of tenants, sessions and streams. */
@NullMarked
package dev.holdfast.session;

import org.jspecify.annotations.NullMarked;
