package dev.holdfast.http.api;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The addresses in a document that leaves the server: those of the server's own, which are paths without a host, get one.
 *
 * @param root what stands before such a path
 */
record Links(String root) {

    private static final String OWN = JsonViews.SESSIONS + "/";

    String absolute(String url) {
        return url.startsWith(OWN) ? root + url : url;
    }

    /** Changes the parts of a message, as the API shows it. */
    ObjectNode absolute(ObjectNode message) {
        for (JsonNode part : message.path("content").path("parts")) {
            if (part instanceof ObjectNode object && object.path("url").isString()) {
                object.put("url", absolute(object.get("url").stringValue()));
            }
        }
        return message;
    }
}
