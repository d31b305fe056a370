package dev.holdfast.mcp.spring;

import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code holdfast.mcp.*}.
 *
 * @param enabled whether Holdfast's transport takes the place of Spring AI's
 * @param data the folder of the embedded store, made if missing; not used where the application has a {@code Holdfast} of its own
 * @param allowedHosts host names that requests may be meant for, besides this machine's own; {@code *} for any. What is checked is the header
 *     {@code Host}, against DNS rebinding
 * @param allowedOrigins origins of web pages that may call, such as {@code https://app.example}
 */
@ConfigurationProperties("holdfast.mcp")
public record HoldfastMcpProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("holdfast-data") Path data,
        @DefaultValue({}) List<String> allowedHosts,
        @DefaultValue({}) List<String> allowedOrigins) {}
