/** Several nodes on one database. */
@NullMarked
package dev.holdfast.testkit.cluster;

import org.jspecify.annotations.NullMarked;
