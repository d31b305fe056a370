package dev.holdfast.bench.http;

import dev.holdfast.bench.http.profile.Profile;
import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.RequestLoop;
import dev.holdfast.bench.http.wire.RequestSample;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Many short requests on 64 connections, one in flight on each. The servers alternate: one run of each, then the next round; a figure is the
 * median of the rounds, and a ratio that of two medians.
 */
final class RequestCell {

    static final int CONNECTIONS = 64;
    static final int BODY_BYTES = 100;
    static final int CONTENT_BYTES = 1024;
    private static final String BYTES = "application/octet-stream";
    private static final Duration RAMP = Duration.ofMillis(500);

    private final Kind kind;
    private final Options options;
    private final @Nullable NodeReference reference;
    private final PrintStream out;

    /** Which requests. */
    enum Kind {
        POST("post", 100, "POST of 100 B, 64 connections, 100 streams"),
        POST_ONE("post1", 1, "POST of 100 B, 64 connections, 1 stream"),
        GET("get", 1, "GET of 1 KB, 64 connections");

        final String section;
        final int streams;
        final String title;

        Kind(String section, int streams, String title) {
            this.section = section;
            this.streams = streams;
            this.title = title;
        }
    }

    RequestCell(Kind kind, Options options, @Nullable NodeReference reference, PrintStream out) {
        this.kind = kind;
        this.options = options;
        this.reference = reference;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        out.printf(
                "%n%s: %d round(s) of %d ms%n",
                kind.title, options.rounds(), options.window().toMillis());
        RequestFigures figures = new RequestFigures();
        try (Fleet fleet = Fleet.start(options, EnumSet.allOf(Contender.class), reference, CONTENT_BYTES)) {
            Map<Contender, List<byte[]>> requests = new EnumMap<>(Contender.class);
            for (Map.Entry<Contender, ServerProcess> each : fleet.servers().entrySet()) {
                requests.put(each.getKey(), prepare(each.getValue()));
                RequestSample unused = run(each.getValue(), requests.get(each.getKey()), options.warmUp());
            }
            for (int round = 0; round < options.rounds(); round++) {
                for (Map.Entry<Contender, ServerProcess> each : fleet.servers().entrySet()) {
                    figures.add(each.getKey(), run(each.getValue(), requests.get(each.getKey()), options.window()));
                }
            }
            figures.print(out);
            profile(fleet, requests);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("connections", CONNECTIONS);
        map.put("streams", kind.streams);
        map.put("servers", figures.asMap());
        return new Section(kind.section, map, bars(figures));
    }

    private RequestSample run(ServerProcess server, @Nullable List<byte[]> requests, Duration window)
            throws IOException {
        if (requests == null) {
            throw new IllegalStateException("nothing was prepared");
        }
        return new RequestLoop(server.address(), requests, CONNECTIONS, server.view()::cpuNanos).run(RAMP, window);
    }

    private List<byte[]> prepare(ServerProcess server) throws IOException, InterruptedException {
        byte[] body = new byte[kind == Kind.GET ? CONTENT_BYTES : BODY_BYTES];
        Arrays.fill(body, (byte) 'x');
        List<byte[]> requests = new ArrayList<>();
        try (Streams streams = new Streams(server.uri())) {
            for (int i = 0; i < kind.streams; i++) {
                String name = "load/" + i;
                streams.create(name, BYTES, kind == Kind.GET ? body : new byte[0]);
                String path = Streams.ROOT + name;
                requests.add(kind == Kind.GET ? Requests.get(path + "?offset=-1") : Requests.post(path, BYTES, body));
            }
        }
        return requests;
    }

    private void profile(Fleet fleet, Map<Contender, List<byte[]>> requests) throws IOException, InterruptedException {
        ServerProcess holdfast = fleet.servers().get(Contender.HOLDFAST);
        if (options.profile() != null && holdfast != null) {
            Profile profile = Profile.start(holdfast.view());
            RequestSample sample = run(holdfast, requests.get(Contender.HOLDFAST), options.warmUp());
            profile.finish(
                    options.profile().resolve("http-" + kind.section + ".txt"),
                    kind.title,
                    sample.requests() + sample.refused(),
                    out);
        }
    }

    private List<Bar> bars(RequestFigures figures) {
        double perSecond = figures.perSecond(Contender.HOLDFAST);
        double ofBare = perSecond / figures.perSecond(Contender.BARE);
        return switch (kind) {
            case POST ->
                List.of(
                        Bar.atLeast(kind.title + ": of the bare handler (decides)", ofBare, 0.5, "x"),
                        Bar.atLeast(kind.title + ": target", perSecond, 30_000, "/s"),
                        Bar.atMost(
                                kind.title + ": p99",
                                figures.median(Contender.HOLDFAST, RequestSample::p99Millis),
                                7,
                                "ms"),
                        Bar.atLeast(
                                kind.title + ": of the reference's file mode",
                                perSecond / figures.perSecond(Contender.NODE_FILE),
                                50,
                                "x"),
                        Bar.atLeast(
                                kind.title + ": of the reference's memory mode",
                                perSecond / figures.perSecond(Contender.NODE_MEMORY),
                                2,
                                "x"));
            case POST_ONE ->
                List.of(
                        Bar.atLeast(kind.title + ": of the bare handler (decides)", ofBare, 0.5, "x"),
                        Bar.atLeast(kind.title + ": target", perSecond, 25_000, "/s"));
            case GET ->
                List.of(
                        Bar.atLeast(kind.title + ": of the bare handler (decides)", ofBare, 0.75, "x"),
                        Bar.atLeast(kind.title + ": target", perSecond, 45_000, "/s"));
        };
    }
}
