package dev.holdfast.http.admin;

import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The files of a web app, which come from a jar and are kept in memory: a page at {@code /} and what it loads. Nobody needs a key for them, since they
 * tell nothing of anyone.
 *
 * <p>The page is asked for anew each time, with an entity tag; what lies below {@code /assets/} has a digest in its name and is kept by browsers for good. No
 * page runs or loads what is not of this site: the content security policy of each answer allows neither inline scripts and styles nor other
 * origins. Immutable, thread-safe.
 */
public final class Site {

    /** The list of the files, one a line; beside each that has a smaller form lies that form with {@code .gz} behind its name. */
    private static final String LIST = "files.txt";

    /** Files of one site; a jar with more is refused. */
    private static final int MAX_FILES = 1_000;

    /** Bytes of one file. */
    private static final int MAX_FILE_BYTES = 16 << 20;

    private static final String PAGE = "index.html";
    private static final String HASHED = "assets/";

    private static final Map<String, String> MEDIA_TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "woff2", "font/woff2",
            "json", "application/json",
            "webmanifest", "application/manifest+json",
            "txt", "text/plain; charset=utf-8");

    private record File(String name, String mediaType, byte[] plain, byte @Nullable [] zipped, String tag) {}

    private final List<File> files;
    private final String policy;

    private Site(List<File> files, String policy) {
        this.files = files;
        this.policy = policy;
    }

    /**
     * The site that lies in a folder of the class path; empty if there is none.
     *
     * @param loader where the jar is
     * @param folder such as {@code dev/holdfast/web}
     * @param framers origins of pages that may show the site in a frame
     * @throws IllegalStateException if a file that is listed is missing, or the site is larger than it may be
     */
    public static Optional<Site> find(ClassLoader loader, String folder, Set<String> framers) {
        try (InputStream list = loader.getResourceAsStream(folder + "/" + LIST)) {
            if (list == null) {
                return Optional.empty();
            }
            List<String> names = new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            if (names.size() > MAX_FILES) {
                throw new IllegalStateException(
                        "The web app has %d files, more than %d.".formatted(names.size(), MAX_FILES));
            }
            List<File> files = new ArrayList<>();
            for (String name : names) {
                files.add(file(loader, folder, name));
            }
            return Optional.of(new Site(List.copyOf(files), policy(framers)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static File file(ClassLoader loader, String folder, String name) throws IOException {
        byte[] plain = read(loader, folder + "/" + name);
        if (plain == null) {
            throw new IllegalStateException(
                    "The file %s of the web app is missing from its jar; rebuild it.".formatted(name));
        }
        String mediaType = MEDIA_TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        return new File(
                name,
                mediaType == null ? "application/octet-stream" : mediaType,
                plain,
                read(loader, folder + "/" + name + ".gz"),
                digest(plain));
    }

    private static byte @Nullable [] read(ClassLoader loader, String resource) throws IOException {
        try (InputStream in = loader.getResourceAsStream(resource)) {
            if (in == null) {
                return null;
            }
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                throw new IllegalStateException("%s is larger than %d bytes.".formatted(resource, MAX_FILE_BYTES));
            }
            return bytes;
        }
    }

    private static String digest(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String policy(Set<String> framers) {
        String ancestors = framers.isEmpty() ? "'none'" : "'self' " + String.join(" ", new TreeSet<>(framers));
        return String.join(
                "; ",
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "img-src 'self' data: blob:",
                "media-src 'self' blob:",
                "font-src 'self'",
                "connect-src 'self'",
                "manifest-src 'self'",
                "base-uri 'none'",
                "form-action 'none'",
                "require-trusted-types-for 'script'",
                "frame-ancestors " + ancestors);
    }

    void addTo(Router.Builder routes) {
        for (File file : files) {
            String path = file.name().equals(PAGE) ? "/" : "/" + file.name();
            routes.addOpen("GET", path, call -> answer(call, file));
            routes.addOpen("HEAD", path, call -> answer(call, file));
        }
    }

    private void answer(Call call, File file) throws IOException {
        byte[] zipped = takesGzip(call) ? file.zipped() : null;
        String tag = "\"" + file.tag() + (zipped == null ? "" : "-gz") + "\"";
        Headers headers = new Headers()
                .set(
                        "Cache-Control",
                        file.name().startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache")
                .set("ETag", tag)
                .set("Vary", "Accept-Encoding")
                .set("Content-Security-Policy", policy)
                .set("Cross-Origin-Opener-Policy", "same-origin")
                .set("Referrer-Policy", "no-referrer")
                .set("X-Content-Type-Options", "nosniff");
        if (call.isKnown(tag)) {
            call.exchange().respond(304, headers);
            return;
        }
        headers.set("Content-Type", file.mediaType());
        if (zipped != null) {
            headers.set("Content-Encoding", "gzip");
        }
        call.exchange().answer(200, headers, zipped == null ? file.plain() : zipped);
    }

    /** Whoever names gzip with a weight of zero, which nobody does who has it, gets the plain form. */
    private static boolean takesGzip(Call call) {
        return call.header("Accept-Encoding").stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .map(String::strip)
                .anyMatch(coding ->
                        coding.equalsIgnoreCase("gzip") || coding.matches("(?i)gzip\\s*;\\s*q=(1|0\\.0*[1-9]).*"));
    }
}
