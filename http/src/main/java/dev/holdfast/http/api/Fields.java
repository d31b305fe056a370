package dev.holdfast.http.api;

import dev.holdfast.http.HttpProblem;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the fields of a body. An absent field and null are the same. */
public final class Fields {

    private Fields() {}

    /**
     * @throws HttpProblem 400 if it is there but no string
     */
    public static Optional<String> text(ObjectNode body, String name) {
        Optional<JsonNode> node = any(body, name);
        if (node.isPresent() && !node.get().isString()) {
            throw HttpProblem.badRequest("The field \"%s\" must be a string.".formatted(name));
        }
        return node.map(JsonNode::stringValue);
    }

    public static Optional<JsonNode> any(ObjectNode body, String name) {
        return Optional.ofNullable(body.get(name)).filter(node -> !node.isNull());
    }

    /**
     * @throws HttpProblem 400 if there is a field of another name: a misspelt option must not silently do nothing
     */
    public static void only(ObjectNode body, Set<String> known) {
        body.propertyNames().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    String shown = name.length() > 100 ? name.substring(0, 100) : name;
                    throw HttpProblem.badRequest("The field \"%s\" is not known here. Known are %s."
                            .formatted(
                                    shown,
                                    String.join(", ", known.stream().sorted().toList())));
                });
    }

    /** Refuses an id that no path could name again. */
    public static String addressable(String what, String id) {
        boolean dots = id.equals(".") || id.equals("..");
        if (dots || id.chars().anyMatch(c -> c == '/' || c == '\\' || c == '%' || c == ';')) {
            throw HttpProblem.badRequest(
                    "The %s \"%s\" could not be named in a path. Leave out slash, backslash, percent sign and semicolon, and do not use . or .. alone."
                            .formatted(what, id));
        }
        return id;
    }
}
