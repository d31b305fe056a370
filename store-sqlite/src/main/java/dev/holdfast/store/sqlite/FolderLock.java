package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreLocked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a folder to one open store: a lock on the file {@code holdfast.lock}, which the operating system drops with the process however it
 * ends, and a register for the stores of this process.
 *
 * <p>The register is asked first, and the lock file is opened only when it says that the folder is free here: on POSIX systems closing any
 * channel to a file drops all locks that the process holds on it. For the same reason a channel that turns out to overlap with a lock of
 * this JVM (taken by a second copy of these classes) is kept open for ever. The file itself stays when the store is closed; deleting it
 * would let two processes lock two files of the same name.
 */
final class FolderLock implements AutoCloseable {

    static final String FILE_NAME = "holdfast.lock";

    private static final Pattern PID = Pattern.compile("[0-9]{1,19}");
    private static final int MAX_PID_BYTES = 32;

    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();
    private static final List<FileChannel> NEVER_CLOSED = new CopyOnWriteArrayList<>();

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @param folder an existing folder, as {@link Path#toRealPath} spells it
     * @throws StoreLocked if this process or another one has it
     */
    static FolderLock take(Path folder) {
        if (!HELD_HERE.add(folder)) {
            throw heldHere(folder);
        }
        FolderLock lock = null;
        try {
            lock = lockFile(folder);
            return lock;
        } catch (IOException e) {
            throw new StoreFailed("The lock file of %s cannot be written: %s".formatted(folder, e.getMessage()), e);
        } finally {
            if (lock == null) {
                HELD_HERE.remove(folder);
            }
        }
    }

    private static FolderLock lockFile(Path folder) throws IOException {
        Path file = folder.resolve(FILE_NAME);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            NEVER_CLOSED.add(channel);
            throw heldHere(folder);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            channel.close();
            throw heldElsewhere(folder, pidIn(file));
        }
        try {
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)),
                    0);
        } catch (IOException e) { // a full disk: the lock holds all the same, only its holder's name is missing
            return new FolderLock(folder, channel);
        }
        return new FolderLock(folder, channel);
    }

    private static @Nullable String pidIn(Path file) {
        try {
            if (Files.size(file) > MAX_PID_BYTES) {
                return null;
            }
            String text = Files.readString(file, StandardCharsets.US_ASCII).trim();
            return PID.matcher(text).matches() ? text : null;
        } catch (IOException e) { // the name of the holder is a courtesy
            return null;
        }
    }

    private static StoreLocked heldHere(Path folder) {
        return new StoreLocked(
                "The store in %s is already open in this process. Use that one, or close it first.".formatted(folder));
    }

    private static StoreLocked heldElsewhere(Path folder, @Nullable String pid) {
        String holder = pid == null ? "another process" : "another process (pid " + pid + ")";
        return new StoreLocked(
                "The store in %s is open in %s. Stop that process, or use another folder.".formatted(folder, holder));
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD_HERE.remove(folder);
        }
    }
}
