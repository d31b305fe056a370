package dev.holdfast.models;

import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.Recording;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Answers of a model that calls a tool twice at once and says what it learnt, on each wire: {@code weather} for Paris ({@code c1}) and Rome ({@code c2}),
 * then {@code It is so.} Each answer costs 10 tokens of input and 5 of output.
 */
final class Scripts {

    static final String SAID = "It is so.";

    private Scripts() {}

    /** Calls until the request brings results, then says what it has to say. */
    static Optional<Recording> calling(LoopbackRequest request) {
        return Optional.of(hasResults(request) ? last(request.path()) : calls(request.path()));
    }

    private static boolean hasResults(LoopbackRequest request) {
        return Pattern.compile("\"role\"\\s*:\\s*\"tool\"|function_call_output|\"tool_result\"")
                .matcher(request.body())
                .find();
    }

    static Recording calls(String path) {
        return switch (path) {
            case "/v1/chat/completions" ->
                recording(
                        "{'model':'m','choices':[{'index':0,'delta':{'content':'I look.'}}]}",
                        "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c1','function':{'name':'weather','arguments':''}}]}}]}",
                        "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':'{`city`:`Paris`}'}}]}}]}",
                        "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':1,'id':'c2','function':{'name':'weather','arguments':'{`city`:`Rome`}'}}]}}]}",
                        "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}",
                        "{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':5,'total_tokens':15}}");
            case "/v1/responses" ->
                recording(
                        "{'type':'response.created','sequence_number':0,'response':{'id':'resp_1','model':'m'}}",
                        "{'type':'response.output_text.delta','sequence_number':1,'item_id':'t','content_index':0,'delta':'I look.'}",
                        "{'type':'response.output_text.done','sequence_number':2,'item_id':'t','content_index':0}",
                        "{'type':'response.output_item.done','sequence_number':3,'item':{'id':'f1','type':'function_call','call_id':'c1','name':'weather','arguments':'{`city`:`Paris`}'}}",
                        "{'type':'response.output_item.done','sequence_number':4,'item':{'id':'f2','type':'function_call','call_id':'c2','name':'weather','arguments':'{`city`:`Rome`}'}}",
                        "{'type':'response.completed','sequence_number':5,'response':{'usage':{'input_tokens':10,'output_tokens':5,'total_tokens':15}}}");
            case "/v1/messages" ->
                recording(
                        "{'type':'message_start','message':{'model':'m','content':[],'usage':{'input_tokens':10}}}",
                        "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'I look.'}}",
                        "{'type':'content_block_stop','index':0}",
                        "{'type':'content_block_start','index':1,'content_block':{'type':'tool_use','id':'c1','name':'weather','input':{}}}",
                        "{'type':'content_block_delta','index':1,'delta':{'type':'input_json_delta','partial_json':'{`city`:`Paris`}'}}",
                        "{'type':'content_block_stop','index':1}",
                        "{'type':'content_block_start','index':2,'content_block':{'type':'tool_use','id':'c2','name':'weather','input':{'city':'Rome'}}}",
                        "{'type':'content_block_stop','index':2}",
                        "{'type':'message_delta','delta':{'stop_reason':'tool_use'},'usage':{'output_tokens':5}}",
                        "{'type':'message_stop'}");
            default -> throw new AssertionError(path);
        };
    }

    static Recording last(String path) {
        return switch (path) {
            case "/v1/chat/completions" ->
                recording(
                        "{'model':'m','choices':[{'index':0,'delta':{'content':'It is '}}]}",
                        "{'choices':[{'index':0,'delta':{'content':'so.'}}]}",
                        "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}",
                        "{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':5,'total_tokens':15}}");
            case "/v1/responses" ->
                recording(
                        "{'type':'response.created','sequence_number':0,'response':{'id':'resp_2','model':'m'}}",
                        "{'type':'response.output_text.delta','sequence_number':1,'item_id':'u','content_index':0,'delta':'It is '}",
                        "{'type':'response.output_text.delta','sequence_number':2,'item_id':'u','content_index':0,'delta':'so.'}",
                        "{'type':'response.output_text.done','sequence_number':3,'item_id':'u','content_index':0}",
                        "{'type':'response.completed','sequence_number':4,'response':{'usage':{'input_tokens':10,'output_tokens':5,'total_tokens':15}}}");
            case "/v1/messages" ->
                recording(
                        "{'type':'message_start','message':{'model':'m','content':[],'usage':{'input_tokens':10}}}",
                        "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}",
                        "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'It is '}}",
                        "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'so.'}}",
                        "{'type':'content_block_stop','index':0}",
                        "{'type':'message_delta','delta':{'stop_reason':'end_turn'},'usage':{'output_tokens':5}}",
                        "{'type':'message_stop'}");
            default -> throw new AssertionError(path);
        };
    }

    /** Events as JSON with single quotes; backticks are quotes within a text. */
    static Recording recording(String... events) {
        return Recording.of(List.of(events).stream()
                .map(event -> event.replace('\'', '"').replace("`", "\\\""))
                .toList());
    }
}
