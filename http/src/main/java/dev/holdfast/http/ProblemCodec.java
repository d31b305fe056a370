package dev.holdfast.http;

import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Problems that one node of a cluster met while it did what another one was asked for. */
public final class ProblemCodec {

    private ProblemCodec() {}

    /** As nodes of a cluster send each other a problem. */
    public static ObjectNode write(Problem problem) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("status", problem.status());
        node.put("type", problem.type());
        node.put("title", problem.title());
        node.put("detail", problem.detail());
        node.set("members", Json.MAPPER.valueToTree(problem.members()));
        node.set("headers", Json.MAPPER.valueToTree(problem.headers()));
        return node;
    }

    /** What {@link #write} wrote. */
    public static Problem read(ObjectNode node) {
        Map<String, Object> members = new TreeMap<>();
        node.get("members").properties().forEach(member -> members.put(member.getKey(), plain(member.getValue())));
        Map<String, String> headers = new TreeMap<>();
        node.get("headers")
                .properties()
                .forEach(
                        header -> headers.put(header.getKey(), header.getValue().stringValue()));
        return new Problem(
                node.get("status").intValue(),
                node.get("type").stringValue(),
                node.get("title").stringValue(),
                node.get("detail").stringValue(),
                members,
                headers);
    }

    private static Object plain(JsonNode value) {
        if (value.isNumber()) {
            return value.longValue();
        }
        return value.isBoolean() ? (Object) value.booleanValue() : value.asString();
    }
}
