package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.hosted.ScriptedFaults.Kind;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.internal.Check;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stories whose requests meet faults at random, whose process ends at random, and whose people and checks have something to say
 * at random: each has one request and one merge, and no word is lost or answered twice.
 */
abstract class FaultsContract extends HostedCase {
    private static final int MOST_STEPS = 400;
    private static final int MOST_WORDS = 3;

    private static final List<Kind> KINDS = List.of(
            Kind.DROPPED_AFTER,
            Kind.DROPPED_BEFORE,
            Kind.BAD_GATEWAY_AFTER,
            Kind.UNAVAILABLE_BEFORE,
            Kind.TRUNCATED_AFTER,
            Kind.HALF_JSON_AFTER,
            Kind.TOO_MANY,
            Kind.LIMIT_USED_UP,
            Kind.UNAUTHORIZED);

    private static final List<String> OPERATIONS = List.of(
            "list", "create", "read", "update", "merge", "reviews", "reply", "resolve", "threads", "tip", "checks",
            "status", "labels", "*");

    private final StringBuilder told = new StringBuilder();
    private final List<Talk> threads = new ArrayList<>();
    private Random random = new Random();
    private boolean proposed;
    private int reds;
    private boolean red;

    static LongStream seeds() {
        return Campaign.seeds("faults of a forge", Campaign.number(1));
    }

    static LongStream moreSeeds() {
        return Campaign.seeds("more faults of a forge", 20);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneRequestOneMergeAndEveryWordAnsweredOnce(long seed) throws IOException {
        random = new Random(seed);
        forge = server.forge().labels("bot").build();
        Outcome.Merged merged = null;
        for (int step = 0; step < MOST_STEPS && merged == null; step++) {
            boolean calm = step > MOST_STEPS / 2;
            if (!calm && random.nextInt(3) == 0) {
                Kind kind = KINDS.get(random.nextInt(KINDS.size()));
                server.faults.add(OPERATIONS.get(random.nextInt(OPERATIONS.size())), kind, 1 + random.nextInt(4));
            }
            if (calm) {
                server.faults.clear();
            }
            if (!server.pulls().isEmpty() && !calm) {
                peopleAct();
            }
            merged = step();
            if (random.nextInt(4) == 0) {
                forge = server.forge().labels("bot").build();
            }
        }
        assertThat(merged).as("seed %s: %s", seed, server.log).isNotNull();
        assertThat(server.pulls()).hasSize(1);
        assertThat(server.count("create 201")).isEqualTo(1);
        assertThat(server.count("merge 200")).isEqualTo(1);
        assertThat(server.pull(1).labels).containsExactly("bot");
        for (Talk thread : threads) {
            assertThat(told).contains(thread.comments.get(0).text());
            assertThat(thread.comments).as("seed %s: %s", seed, server.log).hasSize(2);
            assertThat(thread.resolved).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("moreSeeds")
    @Full("the short tier has one story")
    void oneRequestOneMergeAndEveryWordAnsweredOnceInMoreStories(long seed) throws IOException {
        oneRequestOneMergeAndEveryWordAnsweredOnce(seed);
    }

    /** A person writes, or the checks of the commit end; not while a merge may be under way that nobody has heard of. */
    private void peopleAct() {
        if (server.pull(1).merged) {
            return;
        }
        int what = random.nextInt(8);
        if (what == 0 && threads.size() < MOST_WORDS) {
            threads.add(server.thread(1, "ann", Person.MEMBER, "Word " + threads.size() + "."));
        } else if (what == 1 && reds < 2) {
            reds++;
            red = true;
            server.check(proposal.commit(), "build", Check.CheckState.RED, "");
        }
    }

    /** One step of a story; its end is lost sometimes, as when the process is killed before it is in the record. */
    private Outcome.@Nullable Merged step() throws IOException {
        try {
            if (!proposed) {
                // Without an answer the story goes on, too: somebody has to mend something first.
                Optional<String> unused = forge.propose(proposal);
                proposed = random.nextInt(5) > 0;
                return null;
            }
            Outcome outcome = forge.merge(proposal);
            if (outcome instanceof Outcome.Refused refused) {
                told.append(refused.feedback());
            }
            if (random.nextInt(5) == 0) {
                return null;
            }
            if (outcome instanceof Outcome.Merged merged) {
                return merged;
            }
            if (outcome instanceof Outcome.Refused || outcome instanceof Outcome.Moved) {
                assertThat(outcome instanceof Outcome.Moved).isFalse();
                red = false;
                proposal = proposals.next(proposal, "better than " + proposal.commit());
                proposed = false;
                if (reds > 0) {
                    server.check(proposal.commit(), "build", Check.CheckState.GREEN, "");
                }
            }
            assertThat(outcome).isNotInstanceOf(Outcome.Closed.class);
        } catch (GitUnavailableException e) {
            // Tried again later.
        }
        return null;
    }
}
