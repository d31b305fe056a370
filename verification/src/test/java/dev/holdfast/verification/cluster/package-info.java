/** Three server processes on one PostgreSQL database: what their clients see, and what is stored, when servers are killed, frozen and replaced. */
@NullMarked
package dev.holdfast.verification.cluster;

import org.jspecify.annotations.NullMarked;
