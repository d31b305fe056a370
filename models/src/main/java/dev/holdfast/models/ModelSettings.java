package dev.holdfast.models;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a model is and how it is asked over HTTP. Immutable; made by {@link #builder}. Its text form leaves the key out.
 */
public final class ModelSettings {

    private final URI baseUrl;
    private final String model;
    private final @Nullable String apiKey;
    private final @Nullable String instructions;
    private final Map<String, String> headers;
    private final ObjectNode parameters;
    private final Duration answerTimeout;
    private final HttpClient client;

    private ModelSettings(Builder builder) {
        this.baseUrl = builder.baseUrl;
        this.model = builder.model;
        this.apiKey = builder.apiKey;
        this.instructions = builder.instructions;
        this.headers = Map.copyOf(builder.headers);
        this.parameters = builder.parameters.deepCopy();
        this.answerTimeout = builder.answerTimeout;
        this.client = builder.client != null
                ? builder.client
                : HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(builder.connectTimeout)
                        .build();
    }

    /**
     * @param baseUrl up to and including the version, such as {@code https://api.openai.com/v1}
     * @param model the model's name
     */
    public static Builder builder(URI baseUrl, String model) {
        return new Builder(baseUrl, model);
    }

    String model() {
        return model;
    }

    @Nullable
    String apiKey() {
        return apiKey;
    }

    @Nullable
    String instructions() {
        return instructions;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** Fields of the request that the caller chose; a copy. */
    ObjectNode parameters() {
        return parameters.deepCopy();
    }

    /** Names of the tools that the caller declared in the field {@code tools}, in any of the APIs' forms. */
    Set<String> declaredTools() {
        Set<String> names = new HashSet<>();
        for (JsonNode tool : parameters.path("tools")) {
            String name = ModelJson.text(tool, "name");
            names.add(name == null ? ModelJson.textOrEmpty(tool.path("function"), "name") : name);
        }
        return names;
    }

    Duration answerTimeout() {
        return answerTimeout;
    }

    HttpClient client() {
        return client;
    }

    URI url(String path) {
        String base = baseUrl.toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }

    @Override
    public String toString() {
        return "ModelSettings[" + model + "]";
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {

        private final URI baseUrl;
        private final String model;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final ObjectNode parameters = ModelJson.object();
        private @Nullable String apiKey;
        private @Nullable String instructions;
        private @Nullable HttpClient client;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration answerTimeout = Duration.ofMinutes(5);

        private Builder(URI baseUrl, String model) {
            if (baseUrl.getHost() == null || baseUrl.getScheme() == null) {
                throw new IllegalArgumentException("The base URL needs a scheme and a host.");
            }
            this.baseUrl = baseUrl;
            this.model = model;
        }

        /** Sent as the API wants it: as a bearer token to OpenAI's, as {@code x-api-key} to Anthropic's. Without it, none is sent. */
        public Builder apiKey(String apiKey) {
            this.apiKey = apiKey;
            return this;
        }

        /** What the model is told before the conversation. */
        public Builder instructions(String instructions) {
            this.instructions = instructions;
            return this;
        }

        /** A header of every request, for example {@code OpenAI-Organization} or {@code anthropic-beta}. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** A field of the request body, for example {@code temperature} or {@code tools}, as the provider's API defines it. */
        public Builder parameter(String name, JsonNode value) {
            parameters.set(name, value);
            return this;
        }

        /** How long a connection may take; ten seconds unless set. Of no effect with {@link #httpClient}. */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /** How long the provider may take until its answer begins; five minutes unless set. */
        public Builder answerTimeout(Duration timeout) {
            this.answerTimeout = timeout;
            return this;
        }

        /** A client with a proxy, certificates or another executor of your own. */
        public Builder httpClient(HttpClient client) {
            this.client = client;
            return this;
        }

        public ModelSettings build() {
            return new ModelSettings(this);
        }
    }
}
