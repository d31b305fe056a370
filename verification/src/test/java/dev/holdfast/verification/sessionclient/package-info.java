/** The Java client of the session transport against real servers. */
@NullMarked
package dev.holdfast.verification.sessionclient;

import org.jspecify.annotations.NullMarked;
