package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.team.internal.DyingStore;
import io.maestro.team.internal.MortalStore;
import io.maestro.team.internal.PlaceLlm;
import io.maestro.team.internal.TeamBench;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a loop of model and tools does in its next life with what the one before has left, in a real record. */
class RecoveryTest {
    private static final LlmRequest.Origin CODER = new LlmRequest.Origin("coder-001", "042", "CODING");
    private static final Map<String, List<String>> SIGNALS =
            Map.of("done", List.of("summary"), "ask_question", List.of("question"));

    @TempDir
    Path directory;

    private Store store;
    private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
    private final List<ToolRuntime> runtimes = new ArrayList<>();
    private Limits limits = Limits.defaults();
    private int step = 3;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        store.beginSession(new AuditLog.Session("session", "r", Instant.now(), 1, null));
        store.saveStory(StoryRows.waiting(TeamBench.story("042"), null, null, "session"));
    }

    @AfterEach
    void close() {
        runtimes.forEach(ToolRuntime::close);
        store.close();
    }

    private AgentTools tools() {
        ToolRegistry registry = ToolRegistry.builder().redactor(text -> text).build();
        registry.register(tool("look", ToolDefinition.Builder::readOnly, ToolResult.ok("seen")));
        registry.register(tool("write", definition -> definition, ToolResult.ok("written")));
        registry.register(tool("break", definition -> definition, ToolResult.error("broken")));
        for (String terminal : SIGNALS.keySet()) {
            registry.register(tool(terminal, definition -> definition.readOnly().terminal(), null));
        }
        return registry.agentTools(DefaultToolContext.builder("coder-001", ToolAudience.CODER_CODING)
                .storyId("042")
                .build());
    }

    private ToolFactory tool(String name, UnaryOperator<ToolDefinition.Builder> definition, ToolResult result) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition
                        .apply(ToolDefinition.builder(name)
                                .description("Does " + name)
                                .input(schema -> schema.allowAdditionalProperties()))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    runs.add(name);
                    return result != null
                            ? result
                            : ToolResult.builder("sent")
                                    .signal(new ToolSignal(
                                            name, call.arguments().asMap()))
                                    .build();
                };
            }
        };
    }

    private static PlaceLlm model() {
        return new PlaceLlm();
    }

    /** A life that begins or goes on with the conversation, is told something, and works until its end or its death. */
    private ToolLoop.LoopOutcome live(Store seen, PlaceLlm model, Consumer<ModelConversation> told) {
        ToolRuntime runtime = ToolRuntime.builder()
                .record(seen::recordToolExecution)
                .redactor(text -> text)
                .build();
        runtimes.add(runtime);
        ModelConversation conversation = ModelConversation.resume(seen, text -> text, "session", 1, CODER, step)
                .orElseGet(() ->
                        ModelConversation.begin(seen, text -> text, "session", 1, CODER, step, "You are a coder."));
        conversation.enter(step);
        if (conversation.messages().isEmpty()) {
            conversation.addUser("The story");
        }
        told.accept(conversation);
        return new ToolLoop(runtime, new Prompts(), new Events(List.of()), limits, "session")
                .run(LoopInput.of(conversation, tools(), SIGNALS, model, new Meter(limits)));
    }

    private ToolLoop.LoopOutcome live(PlaceLlm model) {
        return live(store, model, conversation -> {});
    }

    private void die(PlaceLlm model, MortalStore.Death death) {
        assertThatThrownBy(() -> live(MortalStore.after(store, death), model, conversation -> {}))
                .isInstanceOf(DyingStore.KilledException.class);
    }

    /** Dies as soon as the model's answer with this number, from 1, is in the record. */
    private static MortalStore.Death atAnswer(int number) {
        int[] count = {0};
        return (method, arguments) -> method.equals("recordMessage")
                && ((AuditLog.Message) arguments[0]).role().equals("assistant")
                && ++count[0] == number;
    }

    private static MortalStore.Death atResultOf(String tool) {
        return (method, arguments) -> method.equals("recordToolExecution")
                && ((AuditLog.ToolExecution) arguments[0]).tool().equals(tool);
    }

    /** Dies when the results of the model's answer are in the conversation. */
    private static MortalStore.Death atReply() {
        return (method, arguments) -> method.equals("recordMessage")
                && ((AuditLog.Message) arguments[0]).content().contains("tool_result");
    }

    private static List<LlmContent> lastSaid(PlaceLlm model) {
        List<LlmMessage> messages =
                model.requests.get(model.requests.size() - 1).messages();
        return messages.get(messages.size() - 1).content();
    }

    private static String texts(PlaceLlm model) {
        return lastSaid(model).stream()
                .map(part -> part instanceof LlmContent.Text text
                        ? text.text()
                        : part instanceof LlmContent.ToolReply reply ? (reply.error() ? "! " : "") + reply.text() : "")
                .toList()
                .toString();
    }

    private static void assertSignal(ToolLoop.LoopOutcome outcome, String name) {
        assertThat(outcome).isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
        assertThat(((ToolLoop.LoopOutcome.Signalled) outcome).signal().name()).isEqualTo(name);
    }

    // Calls

    @Test
    void aCallThatMayHaveHadAnEffectIsNotRunAgainAndTheModelIsTold() {
        PlaceLlm model = model().calls("CODING", "write").calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));
        assertSignal(live(model), "done");
        assertThat(runs).containsExactly("done");
        assertThat(texts(model)).startsWith("[! Maestro was stopped while this call was about to run or ran.");
        assertThat(model.requests).hasSize(2);
    }

    @Test
    void aCallWhoseResultIsInTheRecordHasThatResult() {
        for (String tool : List.of("write", "break")) {
            step++;
            store.saveStory(
                    StoryRows.waiting(TeamBench.story("042"), store.story("042").orElseThrow(), null, "session"));
            PlaceLlm model = model().calls("CODING", tool).calls("CODING", "done", "summary", "s");
            runs.clear();
            attempt(() -> {
                die(model, atResultOf(tool));
                assertSignal(live(model), "done");
            });
            assertThat(runs).containsExactly(tool, "done");
            assertThat(texts(model)).isEqualTo(tool.equals("write") ? "[written]" : "[! broken]");
        }
    }

    private void attempt(Runnable work) {
        // Each has a record of its own, as each attempt has.
        store.close();
        store = Store.sqlite(directory.resolve("record-" + step + ".db"), text -> text);
        store.beginSession(new AuditLog.Session("session", "r", Instant.now(), 1, null));
        store.saveStory(StoryRows.waiting(TeamBench.story("042"), null, null, "session"));
        work.run();
    }

    @Test
    void aCallThatOnlyReadsIsRunAgain() {
        PlaceLlm model = model().calls("CODING", "look").calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));
        assertSignal(live(model), "done");
        assertThat(runs).containsExactly("look", "done");
        assertThat(texts(model)).isEqualTo("[seen]");
    }

    @Test
    void ofSeveralCallsEachHasWhatBecameOfIt() {
        PlaceLlm model = model().says(
                        "CODING",
                        new LlmContent.ToolUse("1", "write", "{\"n\":1}"),
                        new LlmContent.ToolUse("2", "look", "{}"),
                        new LlmContent.ToolUse("3", "write", "{\"n\":2}"),
                        new LlmContent.ToolUse("4", "unknown", "{}"))
                .calls("CODING", "done", "summary", "s");
        die(model, atResultOf("look"));
        assertThat(runs).containsExactly("write", "look");
        assertSignal(live(model), "done");
        assertThat(runs).containsExactly("write", "look", "look", "done");
        assertThat(texts(model))
                .startsWith("[written, seen, ! Maestro was stopped")
                .contains("unknown");
    }

    /** The last of them may be cut in the middle of its arguments. */
    @Test
    void callsOfAnAnswerThatWasCutAreNotRunAndTheModelIsTold() {
        PlaceLlm model = model().says(
                        "CODING",
                        new LlmContent.ToolUse("1", "look", "{}"),
                        new LlmContent.ToolUse("2", "done", "{\"summary\":\"s\"}"))
                .stops("CODING", LlmResponse.StopReason.MAX_TOKENS)
                .calls("CODING", "done", "summary", "all of it");
        die(model, atAnswer(1));

        ToolLoop.LoopOutcome outcome = live(model);

        assertSignal(outcome, "done");
        assertThat(((ToolLoop.LoopOutcome.Signalled) outcome).signal().toString())
                .contains("all of it");
        assertThat(runs).containsExactly("done");
        assertThat(texts(model))
                .isEqualTo("[! not run: your answer was cut at 8192 tokens; do it in smaller steps,"
                        + " ! not run: your answer was cut at 8192 tokens; do it in smaller steps]");
    }

    @Test
    void aModelThatRefusedIsNotAskedAgain() {
        PlaceLlm model = model().says("CODING", new LlmContent.Text("No."))
                .stops("CODING", LlmResponse.StopReason.REFUSAL)
                .calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));

        assertThat(live(model)).isInstanceOf(ToolLoop.LoopOutcome.Stuck.class);
        assertThat(model.requests).hasSize(1);
    }

    /** Some services number their calls anew in each answer. */
    @Test
    void anOlderCallWithTheSameIdIsAnotherOne() {
        LlmContent.ToolUse use = new LlmContent.ToolUse("call_0", "write", "{}");
        PlaceLlm model = model().says("CODING", use).says("CODING", use).calls("CODING", "done", "summary", "s");
        die(model, atAnswer(2));
        assertThat(runs).containsExactly("write");
        assertSignal(live(model), "done");
        assertThat(runs).containsExactly("write", "done");
        assertThat(texts(model)).startsWith("[! Maestro was stopped");
    }

    // Ends

    @Test
    void aSignalThatWasNotActedOnEndsTheTurnWithoutTheModel() {
        PlaceLlm model = model().calls("CODING", "write").calls("CODING", "ask_question", "question", "which?");
        int[] replies = {0};
        die(model, (method, arguments) -> atReply().at(method, arguments) && ++replies[0] == 2);
        ToolLoop.LoopOutcome outcome = live(model);
        assertSignal(outcome, "ask_question");
        assertThat(Signals.text(((ToolLoop.LoopOutcome.Signalled) outcome).signal(), "question"))
                .isEqualTo("which?");
        assertThat(model.requests).hasSize(2);
        assertThat(store.messages("042")).hasSize(6);
    }

    @Test
    void aTerminalCallWithoutAResultIsRun() {
        PlaceLlm model = model().calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));
        assertSignal(live(model), "done");
        assertThat(model.requests).hasSize(1);
    }

    @Test
    void aSignalThatWasActedOnInAnEarlierVisitEndsNothing() {
        PlaceLlm model = model().calls("CODING", "done", "summary", "s").calls("CODING", "done", "summary", "better");
        assertSignal(live(model), "done");
        step += 2;
        ToolLoop.LoopOutcome outcome = live(model);
        assertThat(Signals.text(((ToolLoop.LoopOutcome.Signalled) outcome).signal(), "summary"))
                .isEqualTo("better");
        assertThat(model.requests).hasSize(2);
    }

    @Test
    void aTextAtTheEndLeadsToTheReminder() {
        PlaceLlm model =
                model().says("CODING", new LlmContent.Text("I am done.")).calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));
        assertSignal(live(model), "done");
        assertThat(texts(model)).contains("Your turn ended without a call of");
    }

    // What is told

    @Test
    void whatWasToldIsToldOnceInAVisit() {
        PlaceLlm model = model().calls("CODING", "look").calls("CODING", "done", "summary", "s");
        Consumer<ModelConversation> guidance = conversation -> conversation.tellOnce("The architect wants changes");
        assertThatThrownBy(() -> live(MortalStore.after(store, atAnswer(1)), model, guidance))
                .isInstanceOf(DyingStore.KilledException.class);
        assertSignal(live(store, model, guidance), "done");
        assertThat(told("The architect wants changes")).isEqualTo(1);
    }

    @Test
    void whatWasToldJustBeforeTheDeathIsNotToldAgain() {
        PlaceLlm model = model().calls("CODING", "done", "summary", "s");
        Consumer<ModelConversation> guidance = conversation -> conversation.tellOnce("The architect wants changes");
        MortalStore.Death death = (method, arguments) -> method.equals("recordMessage")
                && ((AuditLog.Message) arguments[0]).content().contains("wants changes");
        assertThatThrownBy(() -> live(MortalStore.after(store, death), model, guidance))
                .isInstanceOf(DyingStore.KilledException.class);
        assertThat(model.requests).isEmpty();
        assertSignal(live(store, model, guidance), "done");
        assertThat(texts(model)).isEqualTo("[The story, The architect wants changes]");
    }

    @Test
    void theSameIsToldAgainInAnotherVisit() {
        PlaceLlm model = model().calls("CODING", "done", "summary", "s").calls("CODING", "done", "summary", "better");
        Consumer<ModelConversation> guidance = conversation -> conversation.tellOnce("The tests do not pass");
        live(store, model, guidance);
        step += 2;
        live(store, model, guidance);
        assertThat(told("The tests do not pass")).isEqualTo(2);
    }

    @Test
    void theSameIsToldAgainInALaterVisitOfTheSameLife() {
        ModelConversation conversation =
                ModelConversation.begin(store, text -> text, "session", 1, CODER, step, "You are a coder.");
        conversation.tellOnce("The tests do not pass");
        conversation.tellOnce("The tests do not pass");
        conversation.enter(step + 2);
        conversation.tellOnce("The tests do not pass");
        assertThat(told("The tests do not pass")).isEqualTo(2);
    }

    @Test
    void aNoteBeforeTheSystemPromptIsNoPartOfTheConversation() {
        ModelConversation.begin(store, text -> text, "session", 1, CODER, step, "You are a coder.", "hashes");
        assertThat(told("hashes")).isEqualTo(1);
        ModelConversation next = ModelConversation.resume(store, text -> text, "session", 1, CODER, step)
                .orElseThrow();
        assertThat(next.system()).isEqualTo("You are a coder.");
        assertThat(next.messages()).isEmpty();
    }

    private long told(String text) {
        return store.messages("042").stream()
                .filter(row -> row.content().contains(text))
                .count();
    }

    /** A call that was interrupted and never answered would make the conversation one that no service takes. */
    @Test
    void whatIsToldAfterCallsWithoutResultsAnswersThemFirst() {
        PlaceLlm model = model().calls("CODING", "write").calls("CODING", "done", "summary", "s");
        die(model, atAnswer(1));
        step += 2;
        assertSignal(live(store, model, conversation -> conversation.tellOnce("Another request")), "done");
        assertThat(runs).containsExactly("done");
        assertThat(texts(model)).startsWith("[! Maestro was stopped").endsWith(", Another request]");
        assertThat(lastSaid(model)).hasSize(2);
    }

    // Counts and contents

    @Test
    void turnsOfTheVisitGoOnCounting() {
        limits = Limits.builder().turnsPerState(3).build();
        PlaceLlm model = model().calls("CODING", "look", "n", 1)
                .calls("CODING", "look", "n", 2)
                .calls("CODING", "look", "n", 3)
                .calls("CODING", "look", "n", 4)
                .calls("CODING", "done", "summary", "s");
        die(model, atAnswer(2));
        ToolLoop.LoopOutcome outcome = live(model);
        assertThat(((ToolLoop.LoopOutcome.OverBudget) outcome).facts()).startsWith("all 3 turns are used up");
        assertThat(model.requests).hasSize(3);
        // The next step has turns of its own.
        step += 2;
        assertSignal(live(model), "done");
    }

    @Test
    void aConversationThatWasShortenedIsTheSameInTheNextLife() {
        limits = Limits.builder().contextTokens(4_000).build();
        MortalStore.Death shortened = (method, arguments) -> method.equals("recordMessage")
                && ((AuditLog.Message) arguments[0]).role().equals("compaction");
        PlaceLlm undisturbed = talkative();
        attempt(() -> assertSignal(live(undisturbed), "done"));
        step++;
        PlaceLlm killed = talkative();
        attempt(() -> {
            die(killed, shortened);
            assertThat(killed.requests).hasSizeLessThan(12);
            assertSignal(live(killed), "done");
        });
        assertThat(killed.requests)
                .extracting(LlmRequest::messages)
                .containsExactlyElementsOf(
                        undisturbed.requests.stream().map(LlmRequest::messages).toList());
    }

    private static PlaceLlm talkative() {
        PlaceLlm model = model().inOrder();
        for (int i = 0; i < 12; i++) {
            model.says(
                    "CODING",
                    new LlmContent.Text("x".repeat(3_000)),
                    new LlmContent.ToolUse("c" + i, "look", "{\"n\":" + i + "}"));
        }
        return model.calls("CODING", "done", "summary", "s");
    }

    @Test
    void whatTheModelThoughtIsSentBackToItInTheNextLife() {
        LlmContent.Reasoning thought = new LlmContent.Reasoning(
                "anthropic", "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}");
        PlaceLlm model = model().says("CODING", thought, new LlmContent.ToolUse("1", "write", "{}"))
                .calls("CODING", "done", "summary", "s");
        die(model, atResultOf("write"));
        assertSignal(live(model), "done");
        assertThat(model.requests.get(1).messages().get(1).content())
                .containsExactly(thought, new LlmContent.ToolUse("1", "write", "{}"));
    }

    @Test
    void anotherAttemptStateOrAgentHasAConversationOfItsOwn() {
        live(model().calls("CODING", "done", "summary", "s"));
        assertThat(ModelConversation.resume(store, text -> text, "session", 1, CODER, step))
                .isPresent();
        assertThat(ModelConversation.resume(store, text -> text, "session", 2, CODER, step))
                .isEmpty();
        for (LlmRequest.Origin other : List.of(
                new LlmRequest.Origin("coder-002", "042", "CODING"),
                new LlmRequest.Origin("coder-001", "043", "CODING"),
                new LlmRequest.Origin("coder-001", "042", "PLANNING"))) {
            assertThat(ModelConversation.resume(store, text -> text, "session", 1, other, step))
                    .isEmpty();
        }
    }
}
