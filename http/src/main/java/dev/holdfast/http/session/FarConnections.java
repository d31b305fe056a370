package dev.holdfast.http.session;

import dev.holdfast.access.Principal;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.ProblemCodec;
import dev.holdfast.http.ProblemTable;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The commands of connections that are open on another node: a request may reach any node of a cluster. The connection's id tells its node. There
 * the command is checked and done as if it had come there, the principal's right to the connection included; its reply or problem comes back.
 * Thread-safe.
 */
final class FarConnections {

    private static final String TOPIC = "session/command";

    /** {@code conn-}, in a cluster the number of the node in hexadecimal and a dot, and 128 random bits. */
    private static final Pattern FAR_ID = Pattern.compile("conn-([0-9a-f]{1,15})\\.[0-9a-f]{32}");

    private final Peers peers;

    /** Does a command on this node. */
    interface Here {
        ObjectNode run(Principal principal, String connection, ObjectNode body);
    }

    FarConnections(Peers peers, Here here) {
        this.peers = peers;
        peers.answer(TOPIC, question -> answer(here, question));
    }

    /** An id that nobody can guess, for a connection of this node. */
    String newId(long random1, long random2) {
        HexFormat hex = HexFormat.of();
        String random = hex.toHexDigits(random1) + hex.toHexDigits(random2);
        return peers.self() == 0 ? "conn-" + random : "conn-" + Long.toHexString(peers.self()) + "." + random;
    }

    /** Whether an id names another node than this one is: that of a connection here does once the node had to join anew, under another number. */
    boolean isOfAnotherNode(String connection) {
        OptionalLong node = nodeOf(connection);
        return node.isPresent() && node.getAsLong() != peers.self();
    }

    /**
     * Has a command done by the node of the connection.
     *
     * @return its reply, or empty if the connection is of no other node
     * @throws HttpProblem as the command itself
     */
    Optional<ObjectNode> run(Principal principal, String connection, ObjectNode body) {
        OptionalLong node = nodeOf(connection);
        if (node.isEmpty() || node.getAsLong() == peers.self()) {
            return Optional.empty();
        }
        ObjectNode question = Json.MAPPER.createObjectNode();
        question.put("tenant", principal.tenant());
        question.put("principal", principal.name());
        question.put("connection", connection);
        question.set("command", body);
        return peers.ask(node.getAsLong(), TOPIC, Json.MAPPER.writeValueAsBytes(question))
                .map(answer -> (ObjectNode) Json.MAPPER.readTree(answer))
                .map(FarConnections::replyOrProblem);
    }

    private static OptionalLong nodeOf(String connection) {
        Matcher id = FAR_ID.matcher(connection);
        return id.matches() ? OptionalLong.of(HexFormat.fromHexDigitsToLong(id.group(1))) : OptionalLong.empty();
    }

    private static ObjectNode replyOrProblem(ObjectNode answer) {
        if (answer.get("problem") instanceof ObjectNode problem) {
            throw new HttpProblem(ProblemCodec.read(problem));
        }
        return (ObjectNode) answer.get("reply");
    }

    private static byte[] answer(Here here, byte[] question) {
        ObjectNode answer = Json.MAPPER.createObjectNode();
        try {
            JsonNode asked = Json.MAPPER.readTree(question);
            Principal principal = new Principal(
                    asked.get("tenant").stringValue(), asked.get("principal").stringValue());
            answer.set("reply", here.run(principal, asked.get("connection").stringValue(), (ObjectNode)
                    asked.get("command")));
        } catch (HttpProblem e) {
            answer.set("problem", ProblemCodec.write(e.problem()));
        } catch (HoldfastException e) {
            answer.set("problem", ProblemCodec.write(ProblemTable.of(e)));
        }
        return Json.MAPPER.writeValueAsBytes(answer);
    }
}
