/** What tests across modules share: an instance with its parts in view, a clock they own, and a store that tells of each verb. */
@NullMarked
package dev.holdfast.verification.rig;

import org.jspecify.annotations.NullMarked;
