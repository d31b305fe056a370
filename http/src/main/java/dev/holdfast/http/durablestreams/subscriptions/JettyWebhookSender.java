package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Posts webhooks with Jetty's client, because it connects to exactly the addresses that its resolver gives it: {@link WebhookTargets} checks
 * them in between, and there is no second look-up that could answer otherwise. It follows no redirect, uses no proxy, keeps no cookie and no
 * connection. Its threads start with the first webhook.
 */
final class JettyWebhookSender implements WebhookSender {

    private static final int MAX_THREADS = 16;
    private static final int MIN_THREADS = 4;

    private final WebhookTargets targets;
    private @Nullable HttpClient started;
    private boolean closed;

    JettyWebhookSender(WebhookTargets targets) {
        this.targets = targets;
    }

    @Override
    public Answer post(URI target, String signature, byte[] body) throws IOException, InterruptedException {
        InputStreamResponseListener answer = new InputStreamResponseListener();
        Request request = client().POST(target)
                .timeout(SubscriptionLimits.MAX_LEASE.toMillis(), TimeUnit.MILLISECONDS)
                .headers(headers -> headers.put("Webhook-Signature", signature).put("Connection", "close"))
                .body(new BytesRequestContent("application/json", body));
        request.send(answer);
        try {
            Response response = answer.get(SubscriptionLimits.MAX_LEASE.toMillis(), TimeUnit.MILLISECONDS);
            return new Answer(response.getStatus(), response.getStatus() < 300 && saysDone(answer));
        } catch (ExecutionException e) {
            throw new IOException("No answer from " + target.getHost() + ": " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException("No answer from " + target.getHost(), e);
        } finally {
            var unused = request.abort(new IOException("The answer does not matter any more"));
        }
    }

    /** Whether an answer is a JSON object with {@code "done": true}; one that is anything else, or too long, only says that it arrived. */
    private static boolean saysDone(InputStreamResponseListener answer) throws IOException {
        try (InputStream in = answer.getInputStream()) {
            byte[] body = in.readNBytes(SubscriptionLimits.MAX_WEBHOOK_ANSWER_BYTES);
            return Json.MAPPER.readTree(body).path("done").asBoolean(false);
        } catch (JacksonException e) {
            return false;
        }
    }

    private synchronized HttpClient client() throws IOException {
        HttpClient client = started;
        if (closed) {
            throw new IOException("This server is shutting down");
        }
        if (client == null) {
            client = new HttpClient();
            QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
            threads.setName("holdfast-webhook");
            threads.setDaemon(true);
            client.setExecutor(threads);
            client.setFollowRedirects(false);
            client.setConnectTimeout(SubscriptionLimits.CONNECT_TIMEOUT.toMillis());
            client.setHttpCookieStore(new HttpCookieStore.Empty());
            client.setUserAgentField(null);
            client.setDefaultRequestContentType(null);
            client.setSocketAddressResolver(new Checked());
            try {
                client.start();
                client.getContentDecoderFactories().clear(); // an answer is read as it comes
            } catch (Exception e) {
                throw new IOException("The webhook client does not start", e);
            }
            started = client;
        }
        return client;
    }

    @Override
    public synchronized void close() {
        closed = true;
        HttpClient client = started;
        if (client != null) {
            try {
                client.stop();
            } catch (Exception e) {
                throw new IllegalStateException("The webhook client does not stop", e);
            }
        }
    }

    /** Gives the client addresses that were checked, and no others. */
    private final class Checked implements SocketAddressResolver {
        @Override
        public void resolve(
                String host, int port, Map<String, Object> context, Promise<List<InetSocketAddress>> promise) {
            try {
                promise.succeeded(targets.addresses(host).stream()
                        .map(address -> new InetSocketAddress(address, port))
                        .toList());
            } catch (UnknownHostException e) {
                promise.failed(e);
            }
        }
    }
}
