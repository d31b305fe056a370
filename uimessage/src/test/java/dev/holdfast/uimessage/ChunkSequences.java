package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sequences of chunks at random, with all that can be wrong in one. */
final class ChunkSequences {

    static final int COUNT = 2_000;
    private static final List<String> VOCABULARY = List.of(
            "{'type':'start','messageId':'m1'}",
            "{'type':'start-step'}",
            "{'type':'finish-step'}",
            "{'type':'reset-step'}",
            "{'type':'text-start','id':'a'}",
            "{'type':'text-delta','id':'a','delta':'x'}",
            "{'type':'text-delta','id':'a','delta':'\\ud83c'}",
            "{'type':'text-delta','id':'a','delta':'y','providerMetadata':{'p':{'n':1}}}",
            "{'type':'text-delta','id':'a','delta':'z','extra':true}",
            "{'type':'text-delta','id':'b','delta':'x'}",
            "{'type':'text-end','id':'a'}",
            "{'type':'reasoning-start','id':'a'}",
            "{'type':'reasoning-delta','id':'a','delta':'r'}",
            "{'type':'reasoning-end','id':'a'}",
            "{'type':'tool-input-start','toolCallId':'c','toolName':'w'}",
            "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':'[1'}",
            "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':','}",
            "{'type':'tool-input-delta','toolCallId':'never','inputTextDelta':','}",
            "{'type':'tool-input-available','toolCallId':'c','toolName':'w','input':{}}",
            "{'type':'tool-output-available','toolCallId':'c','output':1}",
            "{'type':'tool-input-available','toolCallId':'d','toolName':'w','input':{},'dynamic':true}",
            "{'type':'tool-approval-request','approvalId':'p','toolCallId':'c'}",
            "{'type':'tool-approval-response','approvalId':'p','approved':false}",
            "{'type':'tool-output-denied','toolCallId':'d'}",
            "{'type':'source-url','sourceId':'s','url':'https://a.org'}",
            "{'type':'data-toast','data':1,'transient':true}",
            "{'type':'data-x','id':'d','data':1}",
            "{'type':'message-metadata','messageMetadata':{'a':1}}",
            "{'type':'hologram'}",
            "not json",
            "{'type':'finish'}");

    private ChunkSequences() {}

    static List<byte[]> random(Random random) {
        List<byte[]> chunks = new ArrayList<>();
        int length = random.nextInt(40);
        while (chunks.size() < length) {
            byte[] chunk = ClientData.bytes(VOCABULARY.get(random.nextInt(VOCABULARY.size())));
            for (int times = 1 + random.nextInt(3); times > 0; times--) {
                chunks.add(chunk);
            }
        }
        return chunks;
    }
}
