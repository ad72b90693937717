package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.internal.DecisionRequests.ReplyStatus;
import io.maestro.record.internal.DecisionRequests.Row;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract on every database. */
@ParameterizedClass
@EnumSource(Backend.class)
class RequestsContractTest {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private @Nullable String url;

    private Store open() {
        return Backend.open(url());
    }

    private String url() {
        if (url == null) {
            url = backend.newRecord(directory);
        }
        return url;
    }

    private static final Instant UNTIL = Instant.parse("2999-01-01T00:00:00Z");
    private static final Instant LATER = Samples.AT.plusSeconds(5);

    private Store store;
    private DecisionRequests requests;

    @BeforeEach
    void begin() {
        store = open();
        Samples.begin(store);
        requests = store.requests();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Row ask(String id) {
        return requests.open(Samples.effect(id), UNTIL, 1);
    }

    private ReplyStatus reply(String id, String person, boolean approves) {
        return requests.reply(id, person, approves, "said", "{\"by\":\"" + person + "\"}", LATER);
    }

    private String replyTo(String id) {
        return String.valueOf(requests.find(id).orElseThrow().effect().reply());
    }

    @Test
    void aRequestIsThereUntilItHasItsReply() {
        Row asked = ask("e1");
        assertThat(asked.effect()).isEqualTo(Samples.effect("e1"));
        assertThat(asked.until()).isEqualTo(UNTIL);
        assertThat(asked.storyTitle())
                .isEqualTo(store.story("042").orElseThrow().title());
        ask("e2");
        assertThat(requests.pendingIds()).containsExactlyInAnyOrder("e1", "e2");
        assertThat(requests.pending(0, 9).rows()).containsExactly(asked, ask("e2"));

        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.COUNTS);
        assertThat(reply("e1", "bob", false)).isEqualTo(ReplyStatus.TOO_LATE);
        assertThat(reply("e9", "bob", false)).isEqualTo(ReplyStatus.UNKNOWN);
        assertThat(replyTo("e1")).isEqualTo("{\"by\":\"alice\"}");
        assertThat(requests.find("e1").orElseThrow().effect().repliedAt()).isEqualTo(LATER);
        assertThat(requests.pendingIds()).containsExactly("e2");
        assertThat(requests.find("e9")).isEmpty();
    }

    @Test
    void whoAsksAgainGetsWhatIsThere() {
        Row first = ask("e1");
        assertThat(requests.open(Samples.effect("e1"), UNTIL.plusSeconds(9), 2)).isEqualTo(first);
        reply("e1", "alice", true);
        assertThat(ask("e1").effect().reply()).isEqualTo("{\"by\":\"alice\"}");
        assertThat(store.effects("042")).hasSize(1);
    }

    @Test
    void aRequestOfAModelIsNobodyElses() {
        store.recordEffect(Samples.effect("e1"));
        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.UNKNOWN);
        assertThat(requests.pendingIds()).isEmpty();
        // Until people are asked about it, after another start.
        assertThat(ask("e1").effect()).isEqualTo(Samples.effect("e1"));
        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.COUNTS);
    }

    @Test
    void pagesFollowEachOther() {
        IntStream.range(0, 5).forEach(i -> ask("e" + i));
        reply("e2", "alice", true);
        List<String> ids = new ArrayList<>();
        long last = 0;
        for (var page = requests.pending(last, 2); !page.rows().isEmpty(); page = requests.pending(last, 2)) {
            assertThat(page.rows()).hasSizeLessThanOrEqualTo(2);
            page.rows().forEach(row -> ids.add(row.effect().id()));
            last = page.last();
        }
        assertThat(ids).containsExactly("e0", "e1", "e3", "e4");
    }

    @Test
    void severalApprovalsAreOfSeveralPeople() {
        requests.open(Samples.effect("e1"), UNTIL, 2);
        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.MORE_NEEDED);
        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.MORE_NEEDED);
        assertThat(requests.find("e1").orElseThrow().given())
                .containsExactly(new AuditLog.Approval("alice", "said", LATER));
        assertThat(reply("e1", "bob", true)).isEqualTo(ReplyStatus.COUNTS);
        assertThat(replyTo("e1")).isEqualTo("{\"by\":\"bob\"}");

        requests.open(Samples.effect("e2"), UNTIL, 2);
        assertThat(reply("e2", "alice", true)).isEqualTo(ReplyStatus.MORE_NEEDED);
        assertThat(reply("e2", "alice", false)).as("one refusal is enough").isEqualTo(ReplyStatus.COUNTS);
    }

    @Test
    void aPersonIsOneHoweverTheNameIsWritten() {
        requests.open(Samples.effect("e1"), UNTIL, 2);
        for (String same :
                List.of("Zo\u00eb Li", "zo\u00eb li", " ZO\u00cb  LI", "Zo\u00eb\u00a0Li ", "Zoe\u0308 Li")) {
            assertThat(reply("e1", same, true)).as("'%s'", same).isEqualTo(ReplyStatus.MORE_NEEDED);
        }
        assertThat(requests.find("e1").orElseThrow().given())
                .containsExactly(new AuditLog.Approval("Zo\u00eb Li", "said", LATER));
        assertThat(reply("e1", "Zo\u00eb Lim", true)).isEqualTo(ReplyStatus.COUNTS);
    }

    @Test
    void aStoryThatIsSuspendedGoesOnWaiting() {
        ask("e1");
        move(CoderState.QUESTION, CoderState.SUSPEND);
        move(CoderState.SUSPEND, CoderState.QUESTION);
        assertThat(requests.pendingIds()).containsExactly("e1");
        move(CoderState.QUESTION, CoderState.SUSPEND);
        move(CoderState.SUSPEND, CoderState.ERROR);
        assertThat(requests.pendingIds()).isEmpty();
    }

    private void move(CoderState from, CoderState to) {
        store.recordTransition(Samples.transition("042", 1, from, to), Samples.story("042", 1, to));
    }

    @Test
    void aChangeOfStateWithdrawsWhatWasAskedBefore() {
        ask("e1");
        move(CoderState.QUESTION, CoderState.CODING);
        assertThat(replyTo("e1")).contains(DecisionRequests.WITHDRAWN);
        assertThat(reply("e1", "alice", true)).isEqualTo(ReplyStatus.TOO_LATE);

        ask("e2");
        store.saveStory(Samples.story("042", 1, CoderState.CODING));
        assertThat(requests.pendingIds()).as("no change of state").containsExactly("e2");
        store.saveStory(Samples.story("042", 2, CoderState.WAITING));
        assertThat(requests.pendingIds()).as("another attempt").isEmpty();
    }

    @Test
    void ofManyWhoReplyAtOnceOneCounts() throws Exception {
        ask("e1");
        requests.open(Samples.effect("e2"), UNTIL, 2);
        List<Callable<ReplyStatus>> first = new ArrayList<>();
        List<Callable<ReplyStatus>> second = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try (Store other = open()) {
            for (int i = 0; i < 50; i++) {
                String person = "person-" + i;
                DecisionRequests seen = i % 2 == 0 ? requests : other.requests();
                first.add(() -> seen.reply("e1", person, true, "", "{\"by\":\"" + person + "\"}", LATER));
                second.add(() -> seen.reply("e2", person, true, "", "{}", LATER));
            }
            List<ReplyStatus> verdicts = new ArrayList<>();
            for (Future<ReplyStatus> future : threads.invokeAll(first)) {
                verdicts.add(future.get());
            }
            assertThat(verdicts)
                    .containsOnlyOnce(ReplyStatus.COUNTS)
                    .containsOnly(ReplyStatus.COUNTS, ReplyStatus.TOO_LATE);
            assertThat(replyTo("e1")).isEqualTo("{\"by\":\"person-" + verdicts.indexOf(ReplyStatus.COUNTS) + "\"}");
            verdicts.clear();
            for (Future<ReplyStatus> future : threads.invokeAll(second)) {
                verdicts.add(future.get());
            }
            assertThat(verdicts).containsOnlyOnce(ReplyStatus.COUNTS, ReplyStatus.MORE_NEEDED);
            assertThat(requests.find("e2").orElseThrow().given()).hasSize(2);
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whoComesAtTheDeadlineIsTooLate() {
        requests.open(Samples.effect("e1"), LATER, 2);
        requests.open(Samples.effect("e2"), LATER, 2);
        assertThat(requests.pending(0, 9).rows())
                .as("nobody can answer them any more")
                .isEmpty();
        assertThat(requests.pendingIds()).containsExactlyInAnyOrder("e1", "e2");
        assertThat(requests.reply("e1", "alice", true, "", "{}", LATER.minusNanos(1)))
                .isEqualTo(ReplyStatus.MORE_NEEDED);
        assertThat(reply("e1", "bob", true)).isEqualTo(ReplyStatus.TOO_LATE);
        assertThat(replyTo("e1")).contains(DecisionRequests.TIMEOUT);
        // Who says that nobody has replied.
        assertThat(reply("e2", "", false)).isEqualTo(ReplyStatus.COUNTS);
    }

    @Test
    void whatHasEndedAsksNobody() {
        move(CoderState.QUESTION, CoderState.ERROR);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> ask("e1"))
                .withMessageContaining("attempt 1 at story 042 has ended");
        assertThat(requests.find("e1")).isEmpty();
        assertThat(store.effects("042")).isEmpty();
    }

    @Test
    void whatIsNoRequestIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> requests.open(Samples.effect("e1"), UNTIL, 0))
                .withMessageContaining("approvals must be 1 or more");
        assertThatIllegalArgumentException().isThrownBy(() -> requests.pending(0, 0));
    }

    @Test
    void whatPeopleSayIsFreeOfSecrets() {
        try (Store clean = Backend.open(url(), text -> text.replace("hunter2", "[secret]"))) {
            DecisionRequests requests = clean.requests();
            requests.open(Samples.effect("e1"), Samples.AT.plusSeconds(60), 2);
            requests.reply("e1", "hunter2", true, "it is hunter2", "{}", Samples.AT);
            requests.reply("e1", "bob", true, "", "{\"message\":\"hunter2\"}", Samples.AT);
            DecisionRequests.Row row = requests.find("e1").orElseThrow();
            assertThat(row.toString()).contains("[secret]").doesNotContain("hunter2");
        }
    }
}
