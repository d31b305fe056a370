package dev.holdfast.mcp.spring;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out Spring AI's own transports with sessions, so that there is one provider and one route. Its conditions look for its own classes only,
 * so without this both would be there, and the stock one would answer with sessions that nobody serves. Those without sessions stay.
 */
final class StockTransports implements AutoConfigurationImportFilter, EnvironmentAware {

    private static final Set<String> REPLACED = Set.of(
            "org.springframework.ai.mcp.server.webmvc.autoconfigure.McpServerSseWebMvcAutoConfiguration",
            "org.springframework.ai.mcp.server.webmvc.autoconfigure.McpServerStreamableHttpWebMvcAutoConfiguration");

    private @Nullable Environment environment;

    @Override
    public void setEnvironment(Environment given) {
        this.environment = given;
    }

    @Override
    public boolean[] match(@Nullable String[] classes, AutoConfigurationMetadata metadata) {
        boolean replaced = HoldfastMcpAutoConfiguration.isWanted(environment);
        boolean[] wanted = new boolean[classes.length];
        for (int i = 0; i < classes.length; i++) {
            String name = classes[i];
            wanted[i] = name == null || !replaced || !REPLACED.contains(name);
        }
        return wanted;
    }
}
