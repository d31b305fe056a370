package dev.holdfast.verification.rig;

import dev.holdfast.bench.command.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The browser of this machine. Who has none runs the tests without those that need one; CI says that it must be there. */
public final class Chromium {

    /** Where it is, if it is not where it usually is. */
    private static final String LOCATION = "HOLDFAST_CHROMIUM";

    /** Set where a missing browser is a failure. */
    private static final String REQUIRED = "HOLDFAST_BROWSER_REQUIRED";

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

    private static final List<Path> PLACES = List.of(
            Path.of("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
            Path.of("/Applications/Chromium.app/Contents/MacOS/Chromium"));

    private Chromium() {}

    /** Its program. Skips the test if there is none, unless it is required. */
    public static Path required() {
        Optional<Path> found = find();
        Wanted.assume(
                found.isPresent(),
                "there is a Chromium on the PATH (Debian: apt install chromium) or in " + LOCATION,
                REQUIRED);
        return found.orElseThrow();
    }

    private static Optional<Path> find() {
        String given = System.getenv(LOCATION);
        if (given != null) {
            return Optional.of(Path.of(given));
        }
        return NAMES.stream()
                .flatMap(name -> Programs.onPath(name).stream())
                .findFirst()
                .or(() -> PLACES.stream().filter(Files::isExecutable).findFirst());
    }
}
