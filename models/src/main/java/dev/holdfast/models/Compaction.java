package dev.holdfast.models;

/**
 * When the older part of a conversation is folded into a summary, and what of it stays. Tokens are estimated: a quarter of the characters, or 1.3 for each word.
 *
 * @param afterTokens a conversation that is longer is folded
 * @param keepFirst so many messages at its beginning are never folded: they often say what it is all about
 * @param keepTokens about so many tokens at its end stay, and at least {@value #MIN_KEPT} messages; below {@code afterTokens}
 */
public record Compaction(long afterTokens, int keepFirst, long keepTokens) {

    /** Messages at the end of a conversation that are never folded. */
    public static final int MIN_KEPT = 2;

    /** Summaries that are asked for before one turn; what is still too long then is folded before the next one. */
    public static final int MAX_ROUNDS = 8;

    /** The share of what is folded that its summary may have. */
    static final double SUMMARY_SHARE = 0.2;

    static final int MIN_SUMMARY_TOKENS = 100;
    static final int MAX_SUMMARY_TOKENS = 8_000;

    private static final int DEFAULT_KEEP_FIRST = 3;
    private static final long DEFAULT_KEEP_TOKENS = 20_000;

    public Compaction {
        if (afterTokens < 1 || keepFirst < 0 || keepTokens < 0 || keepTokens >= afterTokens) {
            throw new IllegalArgumentException(
                    "A conversation is folded after at least one token, and fewer than that are kept at its end: after "
                            + afterTokens + ", kept " + keepTokens + ", first " + keepFirst);
        }
    }

    /** Keeps the first three messages and about 20,000 tokens at the end, or a fifth of {@code tokens} if that is less. */
    public static Compaction after(long tokens) {
        return new Compaction(tokens, DEFAULT_KEEP_FIRST, Math.min(DEFAULT_KEEP_TOKENS, tokens / 5));
    }

    public Compaction withKeepFirst(int messages) {
        return new Compaction(afterTokens, messages, keepTokens);
    }

    public Compaction withKeepTokens(long tokens) {
        return new Compaction(afterTokens, keepFirst, tokens);
    }

    static int summaryTokens(long folded) {
        return Math.clamp((long) (folded * SUMMARY_SHARE), MIN_SUMMARY_TOKENS, MAX_SUMMARY_TOKENS);
    }
}
