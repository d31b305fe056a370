package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreFailed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Loads SQLite's native library, once per process, and leaves no file behind.
 *
 * <p>By itself the driver unpacks the library into the system's temporary folder under a new name for each process and deletes it when the
 * process ends; one that is killed leaves it there for good. Here it is unpacked into the folder of the store, whose lock is held, always
 * under the same name, and deleted as soon as it is loaded, so a kill leaves one file at most and the next open replaces it. Where that folder
 * takes no file, or none that can be loaded (it is mounted {@code noexec}), the driver does it in its own way. So it does if the application says where,
 * by {@code org.sqlite.lib.path} or {@code org.sqlite.tmpdir}.
 */
final class NativeLibrary {

    /** What it is called while it is loaded. */
    static final String FILE_NAME = "holdfast.native";

    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";
    private static final String FOLDER = "org.sqlite.tmpdir";

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    /** Guarded by the class. */
    private static boolean loaded;

    private NativeLibrary() {}

    /**
     * Loads it if this process has not.
     *
     * @param folder of a store, locked by the caller
     * @throws StoreFailed if it can be loaded from nowhere
     */
    static synchronized void load(Path folder) {
        if (loaded) {
            return;
        }
        Path file = folder.resolve(FILE_NAME);
        try {
            if (System.getProperty(PATH) == null && System.getProperty(FOLDER) == null && unpack(file)) {
                loadFrom(file);
            } else {
                SQLiteJDBCLoader.initialize();
            }
            loaded = true;
        } catch (Exception | LinkageError e) {
            throw new StoreFailed(
                    "SQLite's native library can be loaded neither from %s nor from %s: they may be mounted noexec or read-only, or the platform is none of the driver's. Start Java with -Dorg.sqlite.tmpdir=FOLDER, a folder whose files can be executed."
                            .formatted(folder, System.getProperty(FOLDER, System.getProperty("java.io.tmpdir"))),
                    e);
        } finally {
            delete(file);
        }
    }

    /** Whether it lies there now. */
    private static boolean unpack(Path file) {
        String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName();
        try (InputStream library = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
            if (library == null) { // the driver knows more places
                return false;
            }
            Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (IOException e) {
            LOG.warn(
                    "SQLite's native library goes to the temporary folder; it cannot be unpacked to {}: {}",
                    file,
                    e.toString());
            return false;
        }
    }

    /** The driver looks there first, and where it looks by itself if that fails. */
    private static void loadFrom(Path file) throws Exception {
        System.setProperty(PATH, String.valueOf(file.getParent()));
        String name = System.setProperty(NAME, FILE_NAME);
        try {
            SQLiteJDBCLoader.initialize();
        } finally {
            System.clearProperty(PATH);
            if (name == null) {
                System.clearProperty(NAME);
            } else {
                System.setProperty(NAME, name);
            }
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.info("{} is left to be deleted: {}", file, e.toString());
        }
    }
}
