/** The server in a servlet container: started by {@code serve --binding tomcat} with the tests' class path. */
@NullMarked
package dev.holdfast.verification.servlet;

import org.jspecify.annotations.NullMarked;
