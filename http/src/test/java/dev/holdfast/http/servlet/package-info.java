/** The servlet binding in real containers. */
@NullMarked
package dev.holdfast.http.servlet;

import org.jspecify.annotations.NullMarked;
