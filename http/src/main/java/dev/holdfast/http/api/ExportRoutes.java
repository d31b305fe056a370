package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Call;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.Locations;
import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.Router;
import dev.holdfast.session.History;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A conversation as one document, root first. It is written a window of messages at a time, so that its length costs no memory; what goes
 * wrong on the way cuts the response. Attachments have absolute addresses, at the server as who asks reaches it, so that they are found from
 * wherever the document lies.
 */
public final class ExportRoutes {

    private final Access access;
    private final Locations locations;

    /** @param proxy what a proxy in between says of the address under which attachments are had */
    public ExportRoutes(Holdfast holdfast, Authorizer authorizer, ProxyHeaders proxy) {
        this.access = new Access(holdfast, authorizer);
        this.locations = new Locations(proxy);
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/sessions/{session}/export", this::export);
    }

    private void export(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        String format = call.query().text("format").orElse("markdown");
        History history = call.query().text("leaf").map(session::history).orElseGet(session::history);
        boolean any = history.hasNext(); // what is wrong with the path is told before the response begins
        SessionInfo info = session.info();
        Links links = new Links(locations.root(call.exchange().head()));
        switch (format) {
            case "markdown" -> markdown(call.exchange(), info, history, any, links);
            case "json" -> json(call.exchange(), info, history, links);
            default -> throw HttpProblem.badRequest("\"format\" is markdown or json.");
        }
    }

    private static void markdown(Exchange exchange, SessionInfo info, History history, boolean any, Links links)
            throws IOException {
        Exchange.Sink sink = begin(exchange, info, "text/markdown; charset=utf-8", "md");
        write(sink, "# " + Markdown.line(info.title() == null ? info.id() : info.title()) + "\n");
        if (!any) {
            write(sink, "\nThis conversation has no messages.\n");
        }
        while (history.hasNext()) {
            write(sink, Markdown.message(history.next(), links));
        }
        sink.flush();
    }

    private static void json(Exchange exchange, SessionInfo info, History history, Links links) throws IOException {
        Exchange.Sink sink = begin(exchange, info, "application/json", "json");
        write(sink, "{\"session\":");
        sink.write(Json.MAPPER.writeValueAsBytes(JsonViews.session(info)));
        write(sink, ",\"messages\":[");
        for (String between = "\n"; history.hasNext(); between = ",\n") {
            write(sink, between);
            sink.write(Json.MAPPER.writeValueAsBytes(links.absolute(JsonViews.message(history.next()))));
        }
        write(sink, "\n]}\n");
        sink.flush();
    }

    private static Exchange.Sink begin(Exchange exchange, SessionInfo info, String type, String suffix) {
        String name = (info.title() == null ? info.id() : info.title()) + "." + suffix;
        return exchange.respond(
                200,
                new Headers()
                        .set("Content-Type", type)
                        .set("Content-Disposition", Disposition.save(name))
                        .set("Cache-Control", "no-store")
                        .set("X-Content-Type-Options", "nosniff"));
    }

    private static void write(Exchange.Sink sink, String text) throws IOException {
        sink.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
