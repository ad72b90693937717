package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.record.CallQuery;
import io.maestro.record.CostQuery;
import io.maestro.record.ResultPage;
import io.maestro.record.StoreException;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on every database, and what its tables hold and refuse. */
@ParameterizedClass
@EnumSource(Backend.class)
class StoreContractTest {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private @Nullable String url;

    private Store open() {
        if (url == null) {
            url = backend.newRecord(directory);
        }
        return Backend.open(url);
    }

    private Store store;

    @BeforeEach
    void begin() {
        store = open();
        Samples.begin(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        store = open();
    }

    private void says(String storyId, int attempt, @Nullable String model, long tokens) {
        store.recordMessage(new Message(
                "s1",
                storyId,
                attempt,
                "coder-001",
                "CODING",
                0,
                "assistant",
                "[]",
                model,
                null,
                tokens,
                2 * tokens,
                3 * tokens,
                4 * tokens,
                Samples.AT));
    }

    @Test
    void sumsWhatModelsHaveUsed() {
        says("042", 1, "b", 1);
        says("042", 2, "b", 10);
        says("042", 2, "a", 100);
        says("042", 3, "b", 1000);
        says("042", 2, null, 0);
        says("043", 2, "b", 10_000);

        assertThat(store.costs("042"))
                .extracting(AuditLog.Cost::attempt, AuditLog.Cost::model, AuditLog.Cost::usage)
                .containsExactly(
                        tuple(1, "b", new Usage(1, 2, 3, 4)),
                        tuple(2, "a", new Usage(100, 200, 300, 400)),
                        tuple(2, "b", new Usage(10, 20, 30, 40)),
                        tuple(3, "b", new Usage(1000, 2000, 3000, 4000)));
        assertThat(store.costs("044")).isEmpty();
    }

    @Test
    void readsListsPageByPage() {
        store.saveStory(Samples.story("041", 1, CoderState.WAITING));
        store.saveStory(Samples.story("043", 1, CoderState.ERROR));
        store.saveStory(Samples.story("043", 2, CoderState.CODING));
        for (int i = 0; i < 5; i++) {
            store.recordMessage(Samples.message("042", "[" + i + "]"));
            store.recordMessage(Samples.message("041", "[]"));
            store.recordToolExecution(Samples.toolExecution("042", "c" + i));
        }
        store.beginSession(Samples.session("s2"));

        assertThat(pages(after -> store.messages("042", after, 2)))
                .isEqualTo(store.messages("042"))
                .hasSize(5);
        assertThat(pages(after -> store.toolExecutions("042", after, 2))).isEqualTo(store.toolExecutions("042"));
        assertThat(pages(after -> store.sessions(after, 1))).isEqualTo(store.sessions());
        assertThat(store.stories("", 2)).isEqualTo(store.stories().subList(0, 2));
        assertThat(store.stories("042", 2)).isEqualTo(store.stories().subList(2, 3));
        assertThat(store.stories("043", 2)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.messages("042", 0, 0))
                .withMessageContaining("at least 1");
    }

    private static <T> List<T> pages(LongFunction<AuditLog.Page<T>> read) {
        List<T> all = new ArrayList<>();
        AuditLog.Page<T> page = read.apply(0);
        while (!page.rows().isEmpty()) {
            all.addAll(page.rows());
            page = read.apply(page.last());
        }
        return all;
    }

    private ToolExecution called(String id, String agent, String tool, String state, int attempt, long millis, int at) {
        return new ToolExecution(
                "s1",
                agent,
                "042",
                attempt,
                state,
                tool,
                id,
                null,
                "{}",
                "out",
                null,
                null,
                millis,
                Samples.AT.plusSeconds(at));
    }

    private ToolExecution failed(String id, String story, @Nullable String error, @Nullable Integer exitCode, int at) {
        return new ToolExecution(
                "s1",
                "coder-002",
                story,
                1,
                "TESTING",
                "test",
                id,
                null,
                "{}",
                error == null ? "out" : null,
                error,
                exitCode,
                7,
                Samples.AT.plusSeconds(at));
    }

    private List<String> found(CallQuery.Builder query) {
        return store.calls(query.build()).rows().stream()
                .map(ToolExecution::callId)
                .toList();
    }

    @Test
    void findsCallsByEveryFilter() {
        store.recordToolExecution(called("a", "coder-001", "shell", "CODING", 1, 30, 1));
        store.recordToolExecution(called("b", "coder-001", "read_file", "PLANNING", 2, 10, 3));
        store.recordToolExecution(failed("c", "043", "no", null, 2));
        store.recordToolExecution(failed("d", "042", null, 1, 4));
        store.recordToolExecution(called("e", "coder-002", "shell", "CODING", 2, 20, 0));
        store.recordToolExecution(failed("f", "044", null, 0, 5));

        assertThat(found(CallQuery.newest())).containsExactly("f", "d", "b", "c", "a", "e");
        assertThat(found(CallQuery.slowest())).containsExactly("a", "e", "b", "f", "d", "c");
        assertThat(found(CallQuery.newest().outcome(CallQuery.Outcome.FAILED))).containsExactly("d", "c");
        assertThat(found(CallQuery.newest().outcome(CallQuery.Outcome.SUCCEEDED)))
                .containsExactly("f", "b", "a", "e");
        assertThat(found(CallQuery.newest().agent("coder-001"))).containsExactly("b", "a");
        assertThat(found(CallQuery.slowest().tool("shell"))).containsExactly("a", "e");
        assertThat(found(CallQuery.newest().state("PLANNING"))).containsExactly("b");
        assertThat(found(CallQuery.newest().story("043"))).containsExactly("c");
        assertThat(found(CallQuery.newest().story("042").attempt(2))).containsExactly("b", "e");
        assertThat(found(CallQuery.newest().from(Samples.AT.plusSeconds(1)).until(Samples.AT.plusSeconds(4))))
                .containsExactly("b", "c", "a");
        assertThat(found(CallQuery.slowest().agent("coder-002").state("CODING").tool("test")))
                .isEmpty();
    }

    @Test
    void pagesNeitherRepeatNorSkipWhileCallsAreWritten() {
        int rows = 25;
        for (int i = 0; i < rows; i++) {
            // Many began at the same time and took equally long.
            store.recordToolExecution(called("c" + i, "coder-001", "shell", "CODING", 1, i % 3, i / 10));
        }
        for (CallQuery.Builder query : List.of(CallQuery.newest(), CallQuery.slowest())) {
            List<ToolExecution> whole = store.calls(query.most(1000).build()).rows();
            CallQuery next = query.most(4).build();
            List<ToolExecution> read = new ArrayList<>();
            while (next != null) {
                ResultPage<ToolExecution> page = store.calls(next);
                assertThat(page.rows()).hasSizeLessThanOrEqualTo(4);
                read.addAll(page.rows());
                store.recordToolExecution(called("new" + read.size(), "coder-001", "shell", "CODING", 1, 9, 99));
                next = page.next().map(next::after).orElse(null);
            }
            assertThat(read).isEqualTo(whole);
        }
    }

    @Test
    void refusesQueriesThatCannotBeAnswered() {
        store.recordToolExecution(called("a", "coder-001", "shell", "CODING", 1, 1, 1));
        store.recordToolExecution(called("b", "coder-001", "shell", "CODING", 1, 1, 1));
        String next = store.calls(CallQuery.newest().most(1).build()).next().orElseThrow();

        for (String wrong : List.of(next, "", "SLOWEST", "SLOWEST x 1", "SLOWEST 1 x", "SLOWEST 1 1 1")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> store.calls(CallQuery.slowest().build().after(wrong)))
                    .withMessageContaining("next()");
        }
        for (String wrong : List.of(next, "", "DAY today")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            store.costs(CostQuery.by(CostQuery.Key.DAY).build().after(wrong)))
                    .withMessageContaining("next()");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallQuery.newest().most(1001))
                .withMessageContaining("1001");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallQuery.newest().attempt(0))
                .withMessageContaining("0");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> CallQuery.newest().attempt(1).build())
                .withMessageContaining("Give the story");
    }

    private void costs(String story, String agent, @Nullable String dollars, String at) {
        Message answer = new Message(
                "s1", story, 1, agent, "CODING", 0, "assistant", "[]", "m", null, 1, 2, 3, 4, Instant.parse(at));
        if (dollars == null) {
            store.recordMessage(answer);
            return;
        }
        Spending.CostReservation request = new Spending.CostReservation(
                at + agent, "s1", story, null, 1, agent, "CODING", "m", new BigDecimal(dollars));
        store.recordAnswer(answer, request, new BigDecimal(dollars));
    }

    private List<AuditLog.CostSum> all(CostQuery query) {
        List<AuditLog.CostSum> all = new ArrayList<>();
        CostQuery next = query;
        while (next != null) {
            ResultPage<AuditLog.CostSum> page = store.costs(next);
            assertThat(page.rows()).hasSizeLessThanOrEqualTo(query.most());
            all.addAll(page.rows());
            next = page.next().map(next::after).orElse(null);
        }
        return all;
    }

    @Test
    void addsUpCostsByAgentStoryAndDay() {
        costs("042", "coder-001", "0.5", "2026-03-28T22:30:00Z");
        costs("042", "coder-002", "0.25", "2026-03-28T23:30:00Z");
        costs("043", "coder-001", null, "2026-03-29T21:59:59.999Z");
        costs("043", "architect", "1", "2026-03-29T22:00:00Z");
        store.recordMessage(Samples.message("042", "[]"));

        assertThat(all(CostQuery.by(CostQuery.Key.AGENT).most(1).build()))
                .containsExactly(
                        new AuditLog.CostSum("architect", 1, new Usage(1, 2, 3, 4), new BigDecimal("1.00"), 0),
                        new AuditLog.CostSum("coder-001", 2, new Usage(2, 4, 6, 8), new BigDecimal("0.50"), 1),
                        new AuditLog.CostSum("coder-002", 1, new Usage(1, 2, 3, 4), new BigDecimal("0.25"), 0));
        assertThat(all(CostQuery.by(CostQuery.Key.STORY).most(1).build()))
                .extracting(AuditLog.CostSum::key, AuditLog.CostSum::dollars)
                .containsExactly(tuple("042", new BigDecimal("0.75")), tuple("043", new BigDecimal("1.00")));
        assertThat(all(CostQuery.by(CostQuery.Key.DAY).most(1).build()))
                .extracting(AuditLog.CostSum::key, AuditLog.CostSum::requests)
                .containsExactly(tuple("2026-03-28", 2L), tuple("2026-03-29", 2L));
        // There, the 29th has 23 hours.
        CostQuery.Builder berlin = CostQuery.by(CostQuery.Key.DAY).zone(ZoneId.of("Europe/Berlin"));
        assertThat(all(berlin.most(1).build()))
                .extracting(AuditLog.CostSum::key, AuditLog.CostSum::requests)
                .containsExactly(tuple("2026-03-28", 1L), tuple("2026-03-29", 2L), tuple("2026-03-30", 1L));
        CostQuery.Builder cut =
                berlin.from(Instant.parse("2026-03-28T23:00:00Z")).until(Instant.parse("2026-03-29T21:59:59Z"));
        assertThat(all(cut.build()))
                .extracting(AuditLog.CostSum::key, AuditLog.CostSum::requests)
                .containsExactly(tuple("2026-03-29", 1L));
        assertThat(all(CostQuery.by(CostQuery.Key.AGENT)
                        .from(Instant.parse("2026-03-29T00:00:00Z"))
                        .until(Instant.parse("2026-03-29T22:00:00Z"))
                        .build()))
                .extracting(AuditLog.CostSum::key)
                .containsExactly("coder-001");
    }

    @Test
    void findsWhatHasNotEnded() {
        for (CoderState state : CoderState.values()) {
            store.saveStory(Samples.story(state.name(), 1, CoderState.CODING));
            store.saveStory(Samples.story(state.name(), 2, state));
        }
        for (ArchitectState state : ArchitectState.values()) {
            store.saveSpec(Samples.spec("spec-" + state.name(), state));
        }

        assertThat(store.openStories())
                .isEqualTo(store.stories().stream()
                        .filter(story -> !story.state().isFinal())
                        .toList());
        assertThat(store.openSpecs())
                .isEqualTo(store.specs().stream()
                        .filter(spec -> !spec.state().isFinal())
                        .toList());
    }

    @Test
    void knowsTheNewestPost() {
        assertThat(store.newestPost()).isZero();
        store.post(Samples.post("one"));
        long newest = store.post(Samples.post("two"));
        assertThat(store.newestPost()).isEqualTo(newest);
    }

    @Test
    void givesAViewThatCanOnlyRead() {
        assertThat(store.view().story("042")).isEqualTo(store.story("042")).isPresent();
        assertThat(store.view()).isNotInstanceOf(Store.class).isNotInstanceOf(AutoCloseable.class);
    }

    @Test
    void keepsEverythingOfEveryRow() {
        StoryRecord full = new StoryRecord(
                "042",
                "s1",
                "Title",
                "Über\u0001\n😀",
                "DEVOPS",
                true,
                CoderState.CODING,
                1,
                "coder-001",
                "maestro/story-042",
                "abc123",
                "an error",
                "{\"plan\":1}",
                null,
                List.of("041", "a,b"),
                Samples.AT.plusNanos(1));
        StateTransition transition = Samples.transition("042", 1, CoderState.WAITING, CoderState.CODING);
        Message user = Samples.message("042", "[]");
        Message assistant = new Message(
                "s1",
                "042",
                2,
                "architect",
                "CODE_REVIEW",
                3,
                "assistant",
                "[{}]",
                "a-model",
                "MAX_TOKENS",
                7,
                1L << 40,
                1L << 41,
                9,
                Samples.AT);
        ToolExecution good = Samples.toolExecution("042", "c1");
        ToolExecution bad = new ToolExecution(
                "s1",
                "coder-001",
                "042",
                2,
                "CODING",
                "shell",
                "c2",
                "c1",
                "no json",
                null,
                "failed",
                null,
                0,
                Samples.AT);
        Effect open = Samples.effect("e1");
        Effect answered = new Effect(
                "e2",
                "s1",
                "042",
                1,
                "coder-001",
                "MERGE",
                "{}",
                Samples.AT,
                "{\"ok\":true}",
                Samples.AT.plusSeconds(9));

        store.recordTransition(transition, full);
        store.recordMessage(user);
        store.recordMessage(assistant);
        store.recordToolExecution(good);
        store.recordToolExecution(bad);
        store.recordConnection(Samples.connection("042", Samples.AT));
        store.recordConnection(Samples.connection(null, Samples.AT));
        store.recordConnection(Samples.connection("042", Samples.AT.plusSeconds(1)));
        store.recordEffect(open);
        store.recordEffect(Samples.effect("e2"));
        store.completeEffect("e1", "{\"a\":2}", Samples.AT.plusSeconds(1));
        assertThatExceptionOfType(StoreException.class)
                .as("an id that is taken")
                .isThrownBy(() -> store.recordEffect(answered));
        store.endSession("s1", Samples.AT);
        reopen();

        assertThat(store.story("042")).contains(full);
        assertThat(store.transitions("042")).containsExactly(transition);
        assertThat(store.messages("042")).containsExactly(user, assistant);
        assertThat(store.toolExecutions("042")).containsExactly(good, bad);
        AuditLog.Page<AuditLog.NetworkConnection> connections = store.connections("042", 0, 1);
        assertThat(connections.rows()).containsExactly(Samples.connection("042", Samples.AT));
        assertThat(store.connections("042", connections.last(), 9).rows())
                .containsExactly(Samples.connection("042", Samples.AT.plusSeconds(1)));
        assertThat(store.connections(null, 0, 9).rows()).containsExactly(Samples.connection(null, Samples.AT));
        assertThat(store.effects("042")).first().satisfies(effect -> {
            assertThat(effect.reply()).isEqualTo("{\"a\":2}");
            assertThat(effect.repliedAt()).isEqualTo(Samples.AT.plusSeconds(1));
        });
        assertThat(store.effects("042")).element(1).isEqualTo(Samples.effect("e2"));
        assertThat(store.effect("e2")).contains(Samples.effect("e2"));
        assertThat(store.effect("e3")).isEmpty();
    }

    @Test
    void listsTheSessionsOldestFirst() {
        Session past = new Session("a", "/srv/app.git", Samples.AT.minusSeconds(9), 1, Samples.AT.minusSeconds(3));
        store.beginSession(Samples.session("s0"));
        store.beginSession(past);
        store.endSession("s0", Samples.AT.plusSeconds(7));
        reopen();

        Session first = Samples.session("s0");
        assertThat(store.sessions())
                .as("in the order in which they began, whatever a clock or an id says")
                .containsExactly(
                        Samples.session("s1"),
                        new Session(
                                first.id(),
                                first.repository(),
                                first.startedAt(),
                                first.processId(),
                                Samples.AT.plusSeconds(7)),
                        past);
    }

    @Test
    void listsTheLatestAttemptOfEveryStoryByTheirIds() {
        store.saveStory(Samples.story("1", 2, CoderState.DONE));
        store.saveStory(Samples.story("1", 10, CoderState.CODING));
        store.saveStory(Samples.story("1", 9, CoderState.ERROR));
        store.saveStory(Samples.story("041", 1, CoderState.ERROR));

        assertThat(store.stories())
                .containsExactly(
                        Samples.story("041", 1, CoderState.ERROR),
                        Samples.story("042", 1, CoderState.WAITING),
                        Samples.story("1", 10, CoderState.CODING));
    }

    @Test
    void answersNothingForAnUnknownStory() {
        assertThat(store.story("x")).isEmpty();
        assertThat(store.transitions("x")).isEmpty();
        assertThat(store.messages("x")).isEmpty();
        assertThat(store.toolExecutions("x")).isEmpty();
        assertThat(store.effects("x")).isEmpty();
        assertThat(store.specs()).isEmpty();
        assertThat(store.spec("x")).isEmpty();
        assertThat(store.specTransitions("x")).isEmpty();
        assertThat(store.storiesOf("x")).isEmpty();
        assertThat(store.todos("042", 1)).isEmpty();
        assertThat(store.chat(0, 10)).isEmpty();
    }

    @Test
    void tellsWhichStoriesHaveChangedSince() {
        long begin = store.changedStories(Long.MAX_VALUE).last();
        assertThat(store.changedStories(begin).rows()).isEmpty();
        for (String id : List.of("043", "044", "043")) {
            store.recordTransition(
                    Samples.transition(id, 1, CoderState.WAITING, CoderState.SETUP),
                    Samples.story(id, 1, CoderState.SETUP));
        }

        AuditLog.Page<String> changes = store.changedStories(begin);

        assertThat(changes.rows()).containsExactlyInAnyOrder("043", "044");
        assertThat(store.changedStories(changes.last()).rows()).isEmpty();
        assertThat(store.changedStories(Long.MAX_VALUE).rows()).isEmpty();
        assertThat(store.changedStories(changes.last() - 1).rows()).containsExactly("043");
    }

    @Test
    void showsTheLatestAttempt() {
        store.saveStory(Samples.story("042", 2, CoderState.CODING));
        store.saveStory(Samples.story("042", 1, CoderState.ERROR));

        assertThat(store.story("042")).map(StoryRecord::attempt).contains(2);
    }

    @Test
    void keepsTheOrderOfWriting() {
        List<String> contents =
                IntStream.range(0, 500).mapToObj(i -> "[" + i + "]").toList();

        contents.forEach(content -> store.recordMessage(Samples.message("042", content)));

        assertThat(store.messages("042")).extracting(Message::content).isEqualTo(contents);
    }

    @Test
    void writesTransitionAndStoryTogetherOrNotAtAll() {
        StateTransition fromAnUnknownSession = new StateTransition(
                "nobody", "042", 1, "coder-001", CoderState.WAITING, CoderState.SETUP, "because", Samples.AT);

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(
                        () -> store.recordTransition(fromAnUnknownSession, Samples.story("042", 1, CoderState.SETUP)))
                .withMessageContaining("was not written first");

        assertThat(store.story("042")).map(StoryRecord::state).contains(CoderState.WAITING);
        assertThat(store.transitions("042")).isEmpty();
    }

    @Test
    void refusesATransitionThatDoesNotLeadToTheStory() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.recordTransition(
                        Samples.transition("042", 1, CoderState.WAITING, CoderState.SETUP),
                        Samples.story("042", 1, CoderState.CODING)))
                .withMessageContaining("SETUP")
                .withMessageContaining("CODING");
    }

    @Test
    void takesOneReplyPerEffect() {
        store.recordEffect(Samples.effect("e1"));
        store.completeEffect("e1", "{\"first\":1}", Samples.AT);

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.completeEffect("e1", "{\"second\":1}", Samples.AT))
                .withMessageContaining("has its reply already");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.completeEffect("e7", "{}", Samples.AT))
                .withMessageContaining("effect e7 is unknown");

        assertThat(store.effects("042")).extracting(Effect::reply).containsExactly("{\"first\":1}");
    }

    @Test
    void refusesTheEndOfASessionThatNeverBegan() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.endSession("s9", Samples.AT))
                .withMessageContaining("session s9 was never begun");
    }

    @Test
    void keepsEverythingOfASpecification() {
        SpecRecord failed = new SpecRecord(
                "spec", "s1", "Title", "# Content", ArchitectState.ERROR, "{\"n\":1}", "why", Samples.AT.plusNanos(7));
        SpecTransition scoping = Samples.specTransition("spec", ArchitectState.SCOPING);
        SpecTransition error = Samples.specTransition("spec", ArchitectState.ERROR);

        store.saveSpec(Samples.spec("spec", ArchitectState.WAITING));
        store.saveSpec(Samples.spec("a", ArchitectState.WAITING));
        store.recordSpecTransition(scoping, Samples.spec("spec", ArchitectState.SCOPING), List.of());
        store.recordSpecTransition(error, failed, List.of());
        reopen();

        assertThat(store.specs()).containsExactly(Samples.spec("a", ArchitectState.WAITING), failed);
        assertThat(store.spec("spec")).contains(failed);
        assertThat(store.specTransitions("spec")).containsExactly(scoping, error);
    }

    @Test
    void keepsTheStoriesOfASpecificationInTheOrderOfTheirSubmission() {
        SpecRecord spec = Samples.spec("spec", ArchitectState.DISPATCHING);
        StoryRecord last = Samples.storyOf("spec", "a", 1, List.of("z", "m"));
        store.recordSpecTransition(
                Samples.specTransition("spec", ArchitectState.DISPATCHING),
                spec,
                List.of(Samples.storyOf("spec", "z", 1, List.of()), Samples.storyOf("spec", "m", 1, List.of("z"))));
        store.recordSpecTransition(Samples.specTransition("spec", ArchitectState.DISPATCHING), spec, List.of(last));
        store.saveSpec(Samples.spec("other", ArchitectState.WAITING));
        store.saveStory(Samples.storyOf("other", "b", 1, List.of()));
        StoryRecord again = Samples.storyOf("spec", "z", 2, List.of("new"));
        store.recordSpecTransition(Samples.specTransition("spec", ArchitectState.DISPATCHING), spec, List.of(again));

        assertThat(store.storiesOf("spec")).containsExactly(again, Samples.storyOf("spec", "m", 1, List.of("z")), last);
        assertThat(store.story("z")).contains(again);
    }

    @Test
    void writesSpecificationTransitionAndStoriesTogetherOrNotAtAll() {
        store.saveSpec(Samples.spec("spec", ArchitectState.SCOPING));
        StoryRecord good = Samples.storyOf("spec", "new", 1, List.of());
        StoryRecord ofNobody = new StoryRecord(
                "bad",
                "nobody",
                "",
                "",
                "APP",
                false,
                CoderState.WAITING,
                1,
                null,
                null,
                null,
                null,
                "{}",
                "spec",
                List.of(),
                Samples.AT);

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.recordSpecTransition(
                        Samples.specTransition("spec", ArchitectState.DISPATCHING),
                        Samples.spec("spec", ArchitectState.DISPATCHING),
                        List.of(good, ofNobody)))
                .withMessageContaining("was not written first");

        assertThat(store.spec("spec")).map(SpecRecord::state).contains(ArchitectState.SCOPING);
        assertThat(store.specTransitions("spec")).isEmpty();
        assertThat(store.storiesOf("spec")).isEmpty();
    }

    @Test
    void refusesATransitionThatDoesNotLeadToTheSpecification() {
        SpecTransition transition = Samples.specTransition("spec", ArchitectState.SCOPING);

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        store.recordSpecTransition(transition, Samples.spec("spec", ArchitectState.DONE), List.of()))
                .withMessageContaining("SCOPING")
                .withMessageContaining("DONE");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.recordSpecTransition(
                        transition,
                        Samples.spec("spec", ArchitectState.SCOPING),
                        List.of(Samples.storyOf("another", "1", 1, List.of()))))
                .withMessageContaining("another");
    }

    @Test
    void keepsTheLatestTodosOfEachAttempt() {
        store.saveStory(Samples.story("042", 2, CoderState.CODING));
        store.saveTodos("042", 1, "[1]");
        store.saveTodos("042", 2, "[2]");
        store.saveTodos("042", 1, "[3]");
        reopen();

        assertThat(store.todos("042", 1)).contains("[3]");
        assertThat(store.todos("042", 2)).contains("[2]");
    }

    @Test
    void numbersWhatIsPosted() {
        ChatPost ofAStory = new ChatPost(99, "s1", "042", "coder-001", "second", Samples.AT.plusNanos(1));
        long first = store.post(Samples.post("first"));
        long second = store.post(ofAStory);
        long third = store.post(Samples.post("third"));
        reopen();

        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
        assertThat(first).isPositive();
        assertThat(store.chat(0, 2))
                .containsExactly(
                        new ChatPost(first, "s1", null, "host", "first", Samples.AT),
                        new ChatPost(second, "s1", "042", "coder-001", "second", Samples.AT.plusNanos(1)));
        assertThat(store.chat(second, 10)).extracting(ChatPost::text).containsExactly("third");
        assertThat(store.chat(third, 10)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> store.chat(0, 0)).withMessageContaining("at least 1");
    }

    @Test
    void refusesEveryUseAfterClose() {
        store.close();
        store.close();

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.recordMessage(Samples.message("042", "[]")))
                .withMessageContaining("is closed")
                .withMessageContaining(store.location());
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.messages("042"))
                .withMessageContaining("is closed");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.leases().renew("s1", Duration.ofSeconds(1)))
                .withMessageContaining("is closed");
    }

    @Test
    void sharesTheRecordWithAnotherStore() {
        try (Store other = open()) {
            other.recordMessage(Samples.message("042", "[1]"));
            store.recordMessage(Samples.message("042", "[2]"));

            assertThat(store.messages("042")).extracting(Message::content).containsExactly("[1]", "[2]");
        }
    }

    @Test
    void saysWhereItIs() {
        assertThat(url).isNotNull();
        assertThat(url.replaceFirst("\\?.*", "")).endsWith(store.location());
    }

    @Test
    void keepsTheEarlierAttempts() throws SQLException {
        store.saveStory(Samples.story("042", 2, CoderState.CODING));
        store.saveStory(Samples.story("042", 1, CoderState.ERROR));

        try (Connection other = Backend.connect(url);
                Statement statement = other.createStatement()) {
            ResultSet row = statement.executeQuery("SELECT state FROM stories WHERE id = '042' AND attempt = 1");
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("ERROR");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE state_transitions SET reason = 'x'",
                "DELETE FROM state_transitions",
                "UPDATE messages SET content = 'x'",
                "DELETE FROM messages",
                "UPDATE tool_executions SET result = 'x'",
                "DELETE FROM tool_executions",
                "UPDATE effects SET reply = 'x'",
                "DELETE FROM effects",
                "UPDATE spec_transitions SET reason = 'x'",
                "DELETE FROM spec_transitions",
                "UPDATE chat SET text = 'x'",
                "DELETE FROM chat",
                "UPDATE connections SET refused = ''",
                "DELETE FROM connections",
                "UPDATE approvals SET person = 'x'",
                "DELETE FROM approvals",
            })
    void doesNotChangeWhatWasWritten(String sql) throws SQLException {
        store.recordTransition(
                Samples.transition("042", 1, CoderState.WAITING, CoderState.SETUP),
                Samples.story("042", 1, CoderState.SETUP));
        store.recordMessage(Samples.message("042", "[]"));
        store.recordToolExecution(Samples.toolExecution("042", "c1"));
        store.recordConnection(Samples.connection("042", Samples.AT));
        store.recordEffect(Samples.effect("e1"));
        store.completeEffect("e1", "{}", Samples.AT);
        store.requests().open(Samples.effect("e2"), Samples.AT.plusSeconds(60), 2);
        store.requests().reply("e2", "alice", true, "", "{}", Samples.AT);
        store.recordSpecTransition(
                Samples.specTransition("spec", ArchitectState.SCOPING),
                Samples.spec("spec", ArchitectState.SCOPING),
                List.of());
        store.post(Samples.post("hello"));

        try (Connection other = Backend.connect(url);
                Statement statement = other.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.execute(sql))
                    .withMessageMatching("(?s).*(append-only|answered once|are kept).*");
        }
    }
}
