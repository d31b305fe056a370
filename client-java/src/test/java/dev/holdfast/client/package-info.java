/** Tests of the client, with time and connections of their own. */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
