package dev.holdfast.session;

import java.util.List;

/**
 * A conversation as a model reads it: the end of a path, with an overlay in the place of what it folds.
 *
 * @param entries root first; the last one is, or folds, the message asked for. None in an empty session
 * @param truncated whether the path has older messages than these
 * @param bytes of the contents and summaries
 */
public record CompactedHistory(List<Entry> entries, boolean truncated, long bytes) {

    public CompactedHistory {
        entries = List.copyOf(entries);
    }

    /** A message, or what stands for several. */
    public sealed interface Entry {

        /** Id of the first message of this entry. */
        String from();

        /** Id of its last message. */
        String to();

        /** A message as it is stored. */
        record Stored(Message message) implements Entry {
            @Override
            public String from() {
                return message.id();
            }

            @Override
            public String to() {
                return message.id();
            }
        }

        /**
         * A summary.
         *
         * @param messages how many messages it stands for
         */
        record Folded(Overlay overlay, long messages) implements Entry {
            @Override
            public String from() {
                return overlay.from();
            }

            @Override
            public String to() {
                return overlay.to();
            }
        }
    }
}
