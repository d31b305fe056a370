package dev.holdfast.server;

import dev.holdfast.server.StartFailures.StartFailure;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes sure that the store's folder can be used, before anything else says so in its own words. */
final class DataFolder {

    private DataFolder() {}

    static Path prepare(Path folder) throws StartFailure {
        try {
            Files.createDirectories(folder);
            Files.delete(Files.createTempFile(folder, ".writable", ""));
            return folder;
        } catch (FileAlreadyExistsException e) {
            throw new StartFailure("%s is no folder. Choose another with --data.".formatted(folder), e);
        } catch (IOException e) {
            throw new StartFailure(
                    "The data folder %s cannot be written: %s. Choose another with --data."
                            .formatted(folder.toAbsolutePath(), e.getMessage()),
                    e);
        }
    }
}
