package dev.holdfast.examples.mcp.documents;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What the tools do with the documents; it knows no protocol. Thread-safe. */
final class Library {

    static final int MAX_HITS = 50;

    private static final int MAX_LINE = 200;
    private static final int MOST_FREQUENT = 10;
    private static final int MIN_WORD = 4;
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}]+");

    private final Folder folder;
    private final Duration pace;

    /**
     * @param pace what one document takes at least when all are indexed, as it would if a model read it
     */
    Library(Folder folder, Duration pace) {
        this.folder = folder;
        this.pace = pace;
    }

    Folder folder() {
        return folder;
    }

    /** Told of each document that is done. */
    @FunctionalInterface
    interface Progress {
        void done(int documents, int of, String name);
    }

    /** The lines with a text in them, in whatever case, each behind its document's name and number. */
    String search(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        List<String> hits = new ArrayList<>();
        for (Document document : folder.list()) {
            int number = 0;
            for (String line : text(document).lines().toList()) {
                number++;
                if (line.toLowerCase(Locale.ROOT).contains(wanted)) {
                    hits.add("%s:%d: %s".formatted(document.name(), number, cut(line.strip())));
                }
                if (hits.size() == MAX_HITS) {
                    return String.join("\n", hits) + "\n[There may be more; search for something rarer.]";
                }
            }
        }
        return hits.isEmpty() ? "Nothing was found." : String.join("\n", hits);
    }

    /** Nothing of one that is gone meanwhile, or that we may not read: the others are still worth it. */
    private String text(Document document) {
        try {
            return folder.read(document.name());
        } catch (NoDocument e) {
            return "";
        }
    }

    private static String cut(String line) {
        return line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + "...";
    }

    /** Reads all documents and says what they are about. */
    String index(Progress progress) throws InterruptedException {
        List<Document> documents = folder.list();
        Map<String, Integer> counts = new TreeMap<>();
        long words = 0;
        for (int i = 0; i < documents.size(); i++) {
            String name = documents.get(i).name();
            for (String word : BETWEEN_WORDS.split(text(documents.get(i)).toLowerCase(Locale.ROOT), -1)) {
                if (word.length() >= MIN_WORD) {
                    counts.merge(word, 1, Integer::sum);
                }
                words += word.isEmpty() ? 0 : 1;
            }
            Thread.sleep(pace);
            progress.done(i + 1, documents.size(), name);
        }
        List<String> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_FREQUENT)
                .map(word -> "%s (%d)".formatted(word.getKey(), word.getValue()))
                .toList();
        return "%d documents with %d words. The most frequent: %s."
                .formatted(documents.size(), words, frequent.isEmpty() ? "none" : String.join(", ", frequent));
    }
}
