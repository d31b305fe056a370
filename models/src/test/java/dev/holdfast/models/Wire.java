package dev.holdfast.models;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.turn.Agent;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;

/** Each agent that can call tools. */
enum Wire {
    CHAT,
    RESPONSES,
    MESSAGES,
    LANGCHAIN4J;

    static final ToolSpecification WEATHER = ToolSpecification.builder()
            .name("weather")
            .description("The weather of a city.")
            .parameters(JsonObjectSchema.builder()
                    .addStringProperty("city")
                    .required("city")
                    .build())
            .build();

    Agent agent(LoopbackUpstream upstream, Toolbox tools) {
        ModelSettings settings = ModelSettings.builder(upstream.baseUrl(), "m").build();
        return switch (this) {
            case CHAT -> new OpenAiChatAgent(settings).withTools(tools);
            case RESPONSES -> new OpenAiResponsesAgent(settings).withTools(tools);
            case MESSAGES -> new AnthropicAgent(settings).withTools(tools);
            case LANGCHAIN4J ->
                new LangChain4jAgent(OpenAiStreamingChatModel.builder()
                                .baseUrl(upstream.baseUrl().toString())
                                .apiKey("none")
                                .modelName("m")
                                .build())
                        .withTools(tools);
        };
    }
}
