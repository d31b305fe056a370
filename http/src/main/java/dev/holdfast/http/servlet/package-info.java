/** The binding to Jakarta Servlet, for applications that have a container already. */
@NullMarked
package dev.holdfast.http.servlet;

import org.jspecify.annotations.NullMarked;
