package dev.holdfast.verification.models;

import dev.holdfast.Holdfast;
import dev.holdfast.turn.TurnStatus;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** An agent in a tool of an agent in a tool, whose innermost agent says one word in the first process, and the other one in the next. */
final class NestedMain {

    private NestedMain() {}

    /** Arguments: the folder of the store, the model's URL, and how many words may be said in this process. */
    public static void main(String[] arguments) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        TwoWords inner = new TwoWords(new TwoWords.Pace() {
            private int left = Integer.parseInt(arguments[2]);

            @Override
            public void beforeWord() throws InterruptedException {
                if (left-- == 0) {
                    never.await();
                }
            }

            @Override
            public void afterWord(String word) {
                System.out.println("said " + word);
            }
        });
        try (Holdfast holdfast = Nesting.twice(Path.of(arguments[0]), URI.create(arguments[1]), inner)) {
            TurnStatus end = holdfast.turns().start(Nesting.OUTER, Nesting.ASK).await();
            System.out.println("ended " + end.state());
        }
    }
}
