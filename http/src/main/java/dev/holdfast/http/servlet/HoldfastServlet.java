package dev.holdfast.http.servlet;

import dev.holdfast.http.HttpHandler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link HttpHandler} (usually a {@link dev.holdfast.http.FrontDoor}) from any Jakarta Servlet 6 container, below whatever context
 * and path it is mapped to: {@code /*} and {@code /agents/*} are both fine, and the handler sees only what lies below.
 *
 * <p>Registered with support for asynchronous requests, each request gets a virtual thread of its own, which it loses when it goes on apart
 * ({@link dev.holdfast.http.Exchange#goOnApart}), and none of the container's is held while an event stream is open. Registered without,
 * requests are answered on the container's threads: right where those are virtual themselves, and otherwise each open stream takes one of the
 * pool.
 *
 * <p>A cut ({@link dev.holdfast.http.Exchange#abort()}) is done by failing inside the container after the response was begun, which
 * Jetty and Tomcat answer by closing the connection without the last chunk, and on HTTP/2 with RST_STREAM. Two things are weaker than on
 * the binding to Jetty's core: the cut happens when the handler's thread notices it, at its next write or by an interrupt, not at once; and
 * over HTTP/1.0, where the end of the connection is the end of the body, a client cannot tell a cut from an end.
 *
 * <p>Holdfast's limits on heads, its idle timeout and its answers to malformed requests are the container's to set here. Event streams are
 * silent for as long as the heartbeat; the container's idle timeout must be longer. Thread-safe.
 */
public final class HoldfastServlet extends HttpServlet {

    private static final Logger LOG = LoggerFactory.getLogger(HoldfastServlet.class);

    /** The attribute of a request that was dispatched once more only to fail. */
    private static final String CUT = HoldfastServlet.class.getName() + ".cut";

    private static final String DEFECT = "A handler failed by a defect";

    private final transient HttpHandler handler;

    public HoldfastServlet(HttpHandler handler) {
        this.handler = handler;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getAttribute(CUT) != null) {
            throw new CutException();
        }
        ServletExchange exchange = new ServletExchange(request, response, handler);
        if (exchange.async()) {
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(0);
            context.addListener(exchange.listener());
            Thread.ofVirtual().name("holdfast-servlet").start(() -> answerApart(exchange, context));
        } else {
            answerHere(exchange);
        }
    }

    private void answerHere(ServletExchange exchange) throws IOException {
        try {
            handle(exchange);
            ServletSocket socket = exchange.socket();
            if (socket != null) {
                socket.open(handler);
            }
        } finally {
            Thread.interrupted(); // the thread is the container's, and goes on to other requests
        }
        if (exchange.aborted()) {
            exchange.beginToFail();
            throw new CutException();
        }
    }

    private void answerApart(ServletExchange exchange, AsyncContext context) {
        handle(exchange);
        if (exchange.goesOnApart()) {
            exchange.apart().begin(handler, defect -> {
                if (defect != null) {
                    LOG.error(DEFECT, defect);
                }
                end(exchange, context);
            });
        } else {
            end(exchange, context);
        }
    }

    private static void end(ServletExchange exchange, AsyncContext context) {
        if (exchange.over()) {
            return; // the container gave the request up, and may use its objects for another one
        }
        try {
            if (exchange.aborted()) {
                exchange.beginToFail();
                context.getRequest().setAttribute(CUT, true);
                context.dispatch();
            } else {
                context.complete();
            }
        } catch (IOException
                | RuntimeException e) { // Tomcat: also a NullPointerException, of a request that it has cleared
            LOG.debug("The container ended the request before its handler did", e);
        }
    }

    private void handle(ServletExchange exchange) {
        try {
            handler.handle(exchange);
            exchange.outlastBody();
        } catch (IOException e) {
            exchange.abort();
        } catch (InterruptedException e) {
            exchange.abort();
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.error(DEFECT, e);
            exchange.abort();
        }
    }

    /** Makes the container cut the connection. */
    private static final class CutException extends IOException {
        CutException() {
            super("The response was cut on purpose", null);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this; // containers log it, and where it was thrown says nothing
        }
    }
}
