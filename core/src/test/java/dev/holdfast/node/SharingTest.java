package dev.holdfast.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Node;
import dev.holdfast.cluster.Coordination.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that beat by turns, every third of a lease. */
final class SharingTest {

    private static final int SHARDS = 16;
    private static final long LEASE = 9_000_000_000L;

    private final long[] holders = new long[SHARDS];
    private final Map<Long, Member> members = new TreeMap<>();
    private long nanos;
    private long joined;
    private int moves;

    /** One node. */
    private final class Member implements Sharing.Holdings {
        final long number = ++joined;
        final Set<Integer> closed = new HashSet<>();
        final Set<Integer> inVain = new HashSet<>();
        final Sharing sharing = new Sharing(this, LEASE);
        final Set<Integer> closing = new HashSet<>();
        boolean retiring;
        boolean closesSlowly;

        @Override
        public int count() {
            return SHARDS;
        }

        @Override
        public boolean isMine(int shard) {
            return holders[shard] == number;
        }

        @Override
        public boolean take(int shard) {
            if (members.containsKey(holders[shard])) {
                return false;
            }
            if (closed.contains(shard)) { // the lease was taken, nothing opened, and it is given back
                inVain.add(shard);
                return true;
            }
            holders[shard] = number;
            moves++;
            return true;
        }

        @Override
        public boolean giveBackIdle(int shard) {
            if (holders[shard] != number) {
                return false;
            }
            if (closesSlowly) {
                return closing.add(shard);
            }
            holders[shard] = 0;
            moves++;
            return true;
        }

        @Override
        public boolean takenInVain(int shard) {
            return inVain.remove(shard);
        }
    }

    private Member join() {
        Member member = new Member();
        members.put(member.number, member);
        return member;
    }

    private void beat(Member member) {
        if (member.retiring) {
            for (int shard = 0; shard < SHARDS; shard++) {
                member.giveBackIdle(shard);
            }
            return;
        }
        List<Node> nodes = members.values().stream()
                .map(each -> new Node(each.number, "n", each.retiring))
                .toList();
        List<Holder> now =
                Arrays.stream(holders).mapToObj(node -> new Holder(node, 1)).toList();
        member.sharing.settle(member.number, new Standing(0, nodes, now), nanos);
    }

    /** Every node beats three times in each lease. */
    private void pass(int leases, Random random) {
        for (int beat = 0; beat < 3 * leases; beat++) {
            List<Member> order = new ArrayList<>(members.values());
            Collections.shuffle(order, random);
            order.forEach(this::beat);
            nanos += LEASE / 3;
        }
    }

    private List<Integer> held() {
        return members.values().stream()
                .map(member -> (int) Arrays.stream(holders)
                        .filter(holder -> holder == member.number)
                        .count())
                .toList();
    }

    @Test
    void each_has_its_share() {
        join();
        join();
        pass(1, new Random(1));
        assertThat(held()).containsExactly(8, 8);
        join();
        pass(2, new Random(1));
        assertThat(held()).allMatch(count -> count <= 6).satisfies(SharingTest::isEverything);
    }

    private static void isEverything(List<? extends Integer> counts) {
        assertThat(counts.stream().mapToInt(count -> count).sum()).isEqualTo(SHARDS);
    }

    @Test
    void what_is_still_being_given_back_is_not_given_back_by_others_as_well() {
        Member a = join();
        pass(1, new Random(1));
        a.closesSlowly = true;
        join();
        for (int look = 0; look < 5; look++) {
            beat(a);
        }
        assertThat(a.closing).hasSize(SHARDS / 2);
    }

    @Test
    void what_a_retiring_node_gives_back_is_taken_at_once() {
        Member a = join();
        Member b = join();
        pass(1, new Random(1));
        a.retiring = true;
        beat(a);
        beat(b);
        assertThat(held()).containsExactly(0, 16);
        int before = moves;
        pass(5, new Random(1));
        assertThat(moves).isEqualTo(before);
    }

    @Test
    void what_a_node_that_counts_cannot_open_is_shared_out_among_the_others_within_a_lease() {
        Member broken = join();
        for (int shard = 0; shard < SHARDS; shard++) {
            broken.closed.add(shard);
        }
        join();
        join();
        pass(1, new Random(1));
        assertThat(held()).containsExactly(0, 8, 8);
        int before = moves;
        pass(20, new Random(1));
        assertThat(moves).isEqualTo(before); // to and fro is worse than unequal shares
        members.remove(broken.number);
        join();
        pass(3, new Random(1));
        assertThat(held()).allMatch(count -> count <= 6).satisfies(SharingTest::isEverything);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void whatever_nodes_cannot_open_no_shard_that_somebody_can_is_free_for_longer_than_a_lease_and_all_come_to_rest(
            long first) {
        for (long seed = first * 100; seed < first * 100 + 100; seed++) {
            members.clear();
            Arrays.fill(holders, 0);
            Random random = new Random(seed);
            int nodes = 1 + random.nextInt(5);
            for (int i = 0; i < nodes; i++) {
                Member member = join();
                for (int shard = 0; shard < SHARDS; shard++) {
                    if (random.nextInt(4) == 0) {
                        member.closed.add(shard);
                    }
                }
                member.retiring = i > 0 && random.nextInt(4) == 0;
            }
            for (int change = 0; change < 3; change++) {
                pass(1, random);
                pass(1, random); // what was given back when a node came is taken within a lease of that
                assertNothingFree(seed);
                pass(3, random);
                int before = moves;
                pass(10, random);
                assertThat(moves).as("moves of seed %d", seed).isEqualTo(before);
                assertNothingFree(seed);
                if (random.nextBoolean()) {
                    join();
                } else if (members.size() > 1) {
                    members.remove(members.keySet().iterator().next());
                }
            }
        }
    }

    private void assertNothingFree(long seed) {
        for (int shard = 0; shard < SHARDS; shard++) {
            int number = shard;
            boolean somebodyCan =
                    members.values().stream().anyMatch(member -> !member.retiring && !member.closed.contains(number));
            assertThat(members.containsKey(holders[shard]))
                    .as("shard %d is held, seed %d", shard, seed)
                    .isEqualTo(somebodyCan);
        }
    }
}
