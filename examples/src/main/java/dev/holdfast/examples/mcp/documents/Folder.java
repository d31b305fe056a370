package dev.holdfast.examples.mcp.documents;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The documents in a folder: text files by their ending, at any depth. Nothing outside can be reached: symbolic links are not followed, and a
 * name with {@code ..} in it is no name. What begins with a dot is left out. Thread-safe.
 */
final class Folder {

    /** More of a document is not read. */
    static final int MAX_DOCUMENT_BYTES = 1 << 20;

    /** More are not listed. */
    static final int MAX_DOCUMENTS = 10_000;

    private static final Set<String> ENDINGS = Set.of(".md", ".txt", ".adoc", ".rst", ".csv", ".json", ".xml", ".yaml");

    private final Path root;

    /**
     * @throws IOException if there is no such folder
     */
    Folder(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new IOException(root + " is not a folder; name one with documents.");
        }
        this.root = root.toRealPath();
    }

    /** The documents that are there now, by name. */
    List<Document> list() {
        List<Document> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return folder.equals(root) || !isHidden(folder)
                            ? FileVisitResult.CONTINUE
                            : FileVisitResult.SKIP_SUBTREE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && isDocument(file)) {
                        found.add(new Document(name(file), attributes.size()));
                    }
                    return found.size() < MAX_DOCUMENTS ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return FileVisitResult.CONTINUE; // gone meanwhile, or not ours to read
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("The folder " + root + " cannot be listed", e);
        }
        found.sort(Comparator.comparing(Document::name));
        return found;
    }

    /**
     * The text of a document; of a large one the beginning, and a last line that says so.
     *
     * @throws NoDocument if there is none of this name
     */
    String read(String name) {
        Path file = locate(name);
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(MAX_DOCUMENT_BYTES + 1);
            return bytes.length > MAX_DOCUMENT_BYTES
                    ? new String(bytes, 0, MAX_DOCUMENT_BYTES, StandardCharsets.UTF_8)
                            + "\n[The document goes on; only its first %d bytes are read.]"
                                    .formatted(MAX_DOCUMENT_BYTES)
                    : new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new NoDocument(name);
        }
    }

    /** A file whose real path is the one that its name says: no link, and nothing outside, has that. */
    private Path locate(String name) {
        try {
            Path named = root.resolve(name);
            boolean ours = named.equals(named.normalize())
                    && named.startsWith(root)
                    && named.equals(named.toRealPath())
                    && Files.isRegularFile(named, LinkOption.NOFOLLOW_LINKS);
            if (ours && isDocument(named) && !hasHiddenPart(root.relativize(named))) {
                return named;
            }
        } catch (IOException | InvalidPathException e) {
            // there is none
        }
        throw new NoDocument(name);
    }

    private String name(Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    private static boolean isDocument(Path file) {
        String name = file.getFileName().toString();
        return !isHidden(file) && ENDINGS.stream().anyMatch(name::endsWith);
    }

    private static boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    private static boolean hasHiddenPart(Path relative) {
        for (Path part : relative) {
            if (isHidden(part)) {
                return true;
            }
        }
        return false;
    }
}
