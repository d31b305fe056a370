/** The web app in a real browser, against servers that are killed. */
@NullMarked
package dev.holdfast.verification.web;

import org.jspecify.annotations.NullMarked;
