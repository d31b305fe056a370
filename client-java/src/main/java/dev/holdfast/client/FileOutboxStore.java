package dev.holdfast.client;

import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An outbox in a folder, one file for each entry. A file appears whole or not at all, and is on disk before the entry is sent. Files that are no entries
 * are left alone; one that should be an entry and is none is named in the log and left out.
 */
public final class FileOutboxStore implements OutboxStore {

    /** The largest file that is read. */
    private static final int MAX_ENTRY_BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(FileOutboxStore.class);
    private static final Pattern NAME = Pattern.compile("(\\d{12})\\.json");

    private final Path folder;
    private final Map<String, Path> files = new HashMap<>();
    private long next;

    /** @param folder made if missing */
    public FileOutboxStore(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<OutboxEntry> load() throws IOException {
        Files.createDirectories(folder);
        files.clear();
        List<OutboxEntry> entries = new ArrayList<>();
        for (Path file : inOrder()) {
            try {
                OutboxEntry entry = read(file);
                files.put(entry.id(), file);
                entries.add(entry);
            } catch (MalformedMessage | IOException e) {
                LOG.warn("{} is no entry of an outbox and is left out: {}", file, e.getMessage());
            }
        }
        return entries;
    }

    private List<Path> inOrder() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> found = all.filter(file -> number(file) >= 0).sorted().toList();
            next = found.isEmpty() ? 0 : number(found.getLast()) + 1;
            return found;
        }
    }

    private static long number(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    private static OutboxEntry read(Path file) throws IOException {
        if (Files.size(file) > MAX_ENTRY_BYTES) {
            throw new IOException("it has more than %d bytes".formatted(MAX_ENTRY_BYTES));
        }
        return MessageJson.convert(MessageJson.tree(Files.readString(file)), OutboxEntry.class);
    }

    @Override
    public void put(OutboxEntry entry) throws IOException {
        Path file = folder.resolve("%012d.json".formatted(next));
        Path unfinished = folder.resolve("unfinished");
        ByteBuffer bytes = ByteBuffer.wrap(MessageJson.writeValue(entry).getBytes(StandardCharsets.UTF_8));
        try (FileChannel out = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel names = FileChannel.open(folder)) {
            names.force(true);
        }
        next++;
        files.put(entry.id(), file);
    }

    @Override
    public void remove(OutboxEntry entry) throws IOException {
        Path file = files.remove(entry.id());
        if (file != null) {
            Files.deleteIfExists(file);
        }
    }
}
