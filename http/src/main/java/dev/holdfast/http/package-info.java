/**
 * The wires over HTTP, written once for every server they are bound to. This package is the port between them: a request as it came in, a
 * blocking response, a router, the checks that every request passes, and the one table of errors.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
