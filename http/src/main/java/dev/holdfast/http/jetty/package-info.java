/** The binding to Jetty's core handlers, on virtual threads. */
@NullMarked
package dev.holdfast.http.jetty;

import org.jspecify.annotations.NullMarked;
