package dev.holdfast.mcp.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Principal;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Trust;
import dev.holdfast.http.servlet.HoldfastServlet;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.mcp.modern.ModernEra;
import dev.holdfast.mcp.streamable.StreamableTransport;
import io.modelcontextprotocol.modern.server.McpServer;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Gives an MCP server in Spring Boot a transport that survives: streams that are resumed, and sessions that outlive the process. With Spring AI on
 * the class path its server is built on it and nothing else changes: tools, resources and prompts stay as they are. Without it the application
 * builds its server on the bean {@link StreamableTransport}.
 *
 * <p>A bean of type {@code io.modelcontextprotocol.modern.server.McpServer} is served at the same path, for the revision 2026-07-28. Whom the
 * container authenticated ({@code getRemoteUser}, as Spring Security sets it) is the principal to which sessions are bound.
 */
@AutoConfiguration(
        beforeName = "org.springframework.ai.mcp.server.common.autoconfigure.McpServerAutoConfiguration",
        afterName = "org.springframework.boot.servlet.autoconfigure.security.SecurityAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@Conditional(HoldfastMcpAutoConfiguration.Wanted.class)
@EnableConfigurationProperties(HoldfastMcpProperties.class)
public class HoldfastMcpAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Holdfast holdfast(HoldfastMcpProperties properties) {
        return Holdfast.open(properties.data());
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean
    StreamableTransport holdfastMcpTransport(Holdfast holdfast) {
        return StreamableTransport.builder(holdfast).build();
    }

    @Bean
    @ConditionalOnMissingBean
    McpEndpoint holdfastMcpEndpoint(
            StreamableTransport transport,
            ObjectProvider<McpServer> modern,
            @Value("${spring.ai.mcp.server.streamable-http.mcp-endpoint:/mcp}") String path) {
        McpEndpoint.Builder endpoint =
                McpEndpoint.at(path).legacy(transport.era()).identifiedBy(HoldfastMcpAutoConfiguration::whoAsks);
        modern.ifAvailable(server -> endpoint.modern(ModernEra.of(server)));
        return endpoint.build();
    }

    @Bean
    @ConditionalOnMissingBean(name = "holdfastMcpServlet")
    ServletRegistrationBean<HoldfastServlet> holdfastMcpServlet(
            McpEndpoint endpoint, HoldfastMcpProperties properties) {
        Trust trust = new Trust(
                Holdfast.DEFAULT_TENANT,
                ApiKeys.none(),
                Set.copyOf(properties.allowedHosts()),
                Set.copyOf(properties.allowedOrigins()));
        return new ServletRegistrationBean<>(new HoldfastServlet(endpoint.handler(trust)), endpoint.prefix());
    }

    @Bean
    EndpointLifecycle holdfastMcpLifecycle(McpEndpoint endpoint) {
        return new EndpointLifecycle(endpoint);
    }

    private static Principal whoAsks(RequestHead head) {
        String user = head.remoteUser();
        return user == null
                ? Principal.anonymous(Holdfast.DEFAULT_TENANT)
                : new Principal(Holdfast.DEFAULT_TENANT, user);
    }

    /** Whether the transport is to take the place of the stock ones. */
    static boolean isWanted(@Nullable Environment environment) {
        return environment == null
                || (environment.getProperty("holdfast.mcp.enabled", Boolean.class, true)
                        && environment.getProperty("spring.ai.mcp.server.enabled", Boolean.class, true)
                        && !environment
                                .getProperty("spring.ai.mcp.server.protocol", "")
                                .toUpperCase(Locale.ROOT)
                                .equals("STATELESS"));
    }

    /** Holds unless the application has switched it off, or wants no sessions. */
    static final class Wanted extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConditionMessage.Builder message = ConditionMessage.forCondition("Holdfast MCP");
            return isWanted(context.getEnvironment())
                    ? ConditionOutcome.match(message.because("it is on the class path and not switched off"))
                    : ConditionOutcome.noMatch(
                            message.because(
                                    "holdfast.mcp.enabled or spring.ai.mcp.server.enabled is false, or the protocol is STATELESS"));
        }
    }
}
