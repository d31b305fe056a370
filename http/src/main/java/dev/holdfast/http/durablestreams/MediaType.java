package dev.holdfast.http.durablestreams;

/** What a content type means to the wire, whatever its case and parameters. */
final class MediaType {

    static final String JSON = "application/json";

    private MediaType() {}

    static boolean isJson(String contentType) {
        return end(contentType) == JSON.length() && contentType.regionMatches(true, 0, JSON, 0, JSON.length());
    }

    /** Whether its bytes can stand in an event as they are. */
    static boolean isText(String contentType) {
        return contentType.regionMatches(true, 0, "text/", 0, 5);
    }

    /** Where the media type ends and its parameters begin. */
    private static int end(String contentType) {
        int semicolon = contentType.indexOf(';');
        int end = semicolon < 0 ? contentType.length() : semicolon;
        while (end > 0 && contentType.charAt(end - 1) == ' ') {
            end--;
        }
        return end;
    }
}
