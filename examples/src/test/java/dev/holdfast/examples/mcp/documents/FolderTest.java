package dev.holdfast.examples.mcp.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FolderTest {

    @TempDir
    private Path scratch;

    private Path documents;
    private Folder folder;

    @BeforeEach
    void documents() throws IOException {
        Files.writeString(scratch.resolve("secret.txt"), "outside");
        documents = Files.createDirectories(scratch.resolve("documents"));
        Files.createDirectories(documents.resolve("notes/.hidden"));
        Files.writeString(documents.resolve("notes/a b.md"), "Ships sail.\nMany ships.");
        Files.writeString(documents.resolve("notes/.hidden/c.md"), "hidden");
        Files.writeString(documents.resolve(".env.txt"), "hidden");
        Files.writeString(documents.resolve("top.txt"), "Harbours wait for ships.");
        Files.writeString(documents.resolve("program.bin"), "no document");
        Files.createSymbolicLink(documents.resolve("link.txt"), scratch.resolve("secret.txt"));
        Files.createSymbolicLink(documents.resolve("way"), scratch);
        folder = new Folder(documents);
    }

    @Test
    void documents_are_listed_by_name_and_read_by_their_uri() {
        assertThat(folder.list()).extracting(Document::name).containsExactly("notes/a b.md", "top.txt");
        Document note = folder.list().getFirst();
        assertThat(note.uri()).isEqualTo("document:///notes%2Fa%20b.md");
        assertThat(folder.read(Document.nameIn(note.uri()))).isEqualTo("Ships sail.\nMany ships.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret.txt",
                "notes/../../secret.txt",
                "notes/../top.txt",
                "./top.txt",
                "/etc/passwd",
                "link.txt",
                "way/secret.txt",
                "way/documents/top.txt",
                "notes/.hidden/c.md",
                ".env.txt",
                "program.bin",
                "notes",
                "",
                "missing.txt",
                "top.txt\0.md"
            })
    void nothing_else_is_read(String name) {
        assertThatThrownBy(() -> folder.read(name)).isInstanceOf(NoDocument.class);
        assertThatThrownBy(() ->
                        folder.read(scratch.resolve(name.replace("\0", "")).toString()))
                .isInstanceOf(NoDocument.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "document:///..%2Fsecret.txt",
                "document:///%2Fetc%2Fpasswd",
                "document:///%",
                "file:///etc/passwd"
            })
    void no_uri_leads_out(String uri) {
        assertThatThrownBy(() -> folder.read(Document.nameIn(uri))).isInstanceOf(NoDocument.class);
    }

    @Test
    void of_a_large_document_the_beginning_is_read() throws Exception {
        Files.writeString(documents.resolve("large.txt"), "x".repeat(Folder.MAX_DOCUMENT_BYTES + 1));
        assertThat(folder.read("large.txt"))
                .hasSizeBetween(Folder.MAX_DOCUMENT_BYTES, Folder.MAX_DOCUMENT_BYTES + 200)
                .endsWith("only its first 1048576 bytes are read.]");
    }

    @Test
    void the_library_searches_and_indexes_with_progress() throws Exception {
        Library library = new Library(folder, Duration.ZERO);
        assertThat(library.search("SHIPS"))
                .isEqualTo(
                        "notes/a b.md:1: Ships sail.\nnotes/a b.md:2: Many ships.\ntop.txt:1: Harbours wait for ships.");
        assertThat(library.search("whales")).isEqualTo("Nothing was found.");
        List<String> progress = new ArrayList<>();
        assertThat(library.index((done, of, name) -> progress.add("%d/%d %s".formatted(done, of, name))))
                .startsWith("2 documents with 8 words. The most frequent: ships (3), ");
        assertThat(progress).containsExactly("1/2 notes/a b.md", "2/2 top.txt");
    }

    @Test
    void a_document_that_goes_while_all_are_indexed_is_passed_over() throws Exception {
        Library library = new Library(folder, Duration.ZERO);
        Path second = documents.resolve("top.txt");
        assertThat(library.index((done, of, name) -> second.toFile().delete())).startsWith("2 documents with 4 words.");
    }
}
