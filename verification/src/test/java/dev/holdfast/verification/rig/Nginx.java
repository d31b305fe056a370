package dev.holdfast.verification.rig;

import dev.holdfast.bench.command.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The nginx of this machine. Who has none runs the tests without those that need it; CI says that it must be there. */
public final class Nginx {

    /** Set where a missing nginx is a failure. */
    private static final String REQUIRED = "HOLDFAST_NGINX_REQUIRED";

    /** Where it is while the {@code PATH} is that of a user who is not root. */
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/sbin/nginx"), Path.of("/usr/local/sbin/nginx"), Path.of("/opt/homebrew/bin/nginx"));

    private Nginx() {}

    /** Its program. Skips the test if there is none, unless it is required. */
    public static Path required() {
        Optional<Path> found = Programs.onPath("nginx")
                .or(() -> PLACES.stream().filter(Files::isExecutable).findFirst());
        Wanted.assume(found.isPresent(), "there is an nginx on the PATH (Debian: apt install nginx-light)", REQUIRED);
        return found.orElseThrow();
    }
}
