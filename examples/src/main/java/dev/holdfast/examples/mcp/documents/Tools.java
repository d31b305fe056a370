package dev.holdfast.examples.mcp.documents;

/** The tools' names, schemas and descriptions, which are the same in both eras. */
final class Tools {

    static final String LIST = "list_documents";
    static final String LIST_SAYS = "Lists the documents with their sizes and URIs";

    static final String SEARCH = "search_documents";
    static final String SEARCH_SAYS = "Finds the lines with a text in them, in whatever case";

    static final String INDEX = "index_documents";
    static final String INDEX_SAYS =
            "Reads all documents and says what they are about. Takes its time and reports progress";

    static final String NO_ARGUMENTS = "{\"type\":\"object\"}";

    static final String SEARCH_ARGUMENTS = """
            {
              "type": "object",
              "properties": {"text": {"type": "string", "minLength": 1}},
              "required": ["text"]
            }
            """;

    private Tools() {}

    static String list(Folder folder) {
        StringBuilder list = new StringBuilder();
        for (Document document : folder.list()) {
            list.append("%s (%d bytes) %s%n".formatted(document.name(), document.bytes(), document.uri()));
        }
        return list.isEmpty() ? "There are no documents." : list.toString();
    }
}
