package io.maestro.testkit.contract;

import static io.maestro.testkit.contract.PlayedModel.Said.call;
import static io.maestro.testkit.contract.PlayedModel.Said.done;
import static io.maestro.testkit.contract.PlayedModel.Said.text;
import static io.maestro.testkit.contract.PlayedModel.turns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.AgentBuilder;
import io.maestro.Maestro;
import io.maestro.MaestroRecord;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentResult.Ending;
import io.maestro.agent.AgentRun;
import io.maestro.agent.AgentTask;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The promises of every agent that {@link Maestro#agent()} makes, as tests: with Maestro's own loop, or with a program. */
@Timeout(120)
public abstract class AgentContract {
    private static final String SECRET = "planted-7c1e55d0a9b3";

    /** Empty at the begin of a test; the agent works in a directory below. */
    @TempDir
    protected Path directory;

    /** What the model was asked, in its order. */
    private final List<PlayedModel.Asked> asked = new CopyOnWriteArrayList<>();

    private Path workspace;

    /** For subclasses. */
    protected AgentContract() {}

    /**
     * Lets a played model do the thinking of an agent, under the name {@link #model()}.
     *
     * @param builder makes the agent
     * @param model does its thinking
     * @return the builder
     */
    protected abstract AgentBuilder withModel(AgentBuilder builder, PlayedModel model);

    /**
     * The model's name. Each of its answers has used some tokens.
     *
     * @return its name
     */
    protected abstract String model();

    @BeforeEach
    void makeWorkspace() throws IOException {
        workspace = Files.createDirectory(directory.resolve("workspace")).toRealPath();
    }

    private AgentBuilder builder(PlayedModel model) {
        return withModel(Maestro.agent().directory(workspace).tools(tools -> tools.discover(false)), request -> {
            asked.add(request);
            return model.say(request);
        });
    }

    private AgentResult run(PlayedModel model) {
        return run(model, builder -> {});
    }

    private AgentResult run(PlayedModel model, Consumer<AgentBuilder> more) {
        AgentBuilder builder = builder(model);
        more.accept(builder);
        try (Agent agent = builder.build()) {
            return agent.run(AgentTask.of("Do it"));
        }
    }

    private static ToolFactory tool(ToolDefinition.Builder definition, Tool tool) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition
                        .description("For the contract")
                        .offeredTo(ToolAudience.CODER_CODING)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return tool;
            }
        };
    }

    private static ToolFactory waiting(CountDownLatch began) {
        return tool(ToolDefinition.builder("wait_long").timeLimit(Duration.ofMinutes(2)), call -> {
            began.countDown();
            Thread.sleep(100_000);
            return ToolResult.ok("waited");
        });
    }

    private static Limits.Builder limits() {
        return Limits.builder();
    }

    // How it ends

    @Test
    void aTerminalToolEndsTheTask() {
        AgentResult result = run(turns(done("made it")));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
        assertThat(result.signal()).map(ToolSignal::name).contains("done");
        assertThat(result.text()).isEqualTo("made it");
    }

    @Test
    void anAgentCanGiveUp() {
        AgentResult result = run(turns(call("report_blocked", "reason", "no network")));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
        assertThat(result.signal()).map(ToolSignal::name).contains("report_blocked");
        assertThat(result.text()).isEqualTo("no network");
    }

    @Test
    void aTerminalToolOfTheHostEndsItWithItsSignal() {
        ToolFactory answer = tool(
                ToolDefinition.builder("answer")
                        .terminal()
                        .input(schema -> schema.requiredString("value", "The answer")),
                call -> ToolResult.builder("taken")
                        .signal(new ToolSignal(
                                "answered", Map.of("value", call.arguments().string("value"))))
                        .build());
        AgentResult result = run(turns(call("answer", "value", "42")), builder -> builder.tool(answer));
        assertThat(result.signal()).contains(new ToolSignal("answered", Map.of("value", "42")));
        assertThat(result.text()).isEqualTo("42");
    }

    @Test
    void nothingIsAskedAfterTheEnd() {
        run(turns(done("made it")));
        assertThat(asked.stream().map(PlayedModel.Asked::turns)).startsWith(0);
        assertThat(asked.stream().filter(request -> request.turns() == 0)).hasSize(1);
    }

    @Test
    void whoOnlyTalksIsRemindedAndStuck() {
        AgentResult result = run(
                turns(text("I think it is done")),
                builder -> builder.limits(limits().reminders(2).build()));
        assertThat(result.ending()).isEqualTo(Ending.STUCK);
        assertThat(result.signal()).isEmpty();
        assertThat(result.text()).contains("3 times", "done");
        assertThat(asked.get(asked.size() - 1).texts().toString()).contains("done");
    }

    @Test
    void aReminderIsEnough() {
        AgentResult result = run(turns(text("hm"), done("made it")));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
    }

    @Test
    void turnsAreLimited() {
        AgentResult result = run(
                request -> call("shell", "cmd", "echo " + request.turns()),
                builder -> builder.limits(limits().turnsPerState(3).build()));
        assertThat(result.ending()).isEqualTo(Ending.OVER_BUDGET);
        assertThat(result.text()).contains("turns are used up");
        assertThat(asked.stream().map(PlayedModel.Asked::turns).distinct().count())
                .isLessThanOrEqualTo(4);
    }

    @Test
    void tokensAreLimited() {
        AgentResult result = run(
                request -> call("shell", "cmd", "echo " + request.turns()),
                builder -> builder.limits(limits().tokensPerStory(1).build()));
        assertThat(result.ending()).isEqualTo(Ending.OVER_BUDGET);
        assertThat(result.text()).contains("tokens are used up");
        assertThat(asked).hasSize(1);
    }

    // Money

    private PriceTable prices() {
        return PriceTable.builder()
                .model(model(), Price.of("1000", "1000", "1000", "1000"))
                .build();
    }

    @Test
    void whatWasUsedIsCounted() {
        AgentResult result =
                run(turns(call("shell", "cmd", "true"), done("made it")), builder -> builder.prices(prices()));
        assertThat(result.usage().totalTokens()).isPositive();
        assertThat(result.cost().orElseThrow())
                .isEqualByComparingTo(BigDecimal.valueOf(result.usage().totalTokens(), 3));
    }

    @Test
    void aCostThatNobodyKnowsIsEmpty() {
        AgentResult result = run(
                turns(done("made it")),
                builder -> builder.prices(PriceTable.builder().build()));
        assertThat(result.cost()).isEmpty();
        assertThat(result.usage().totalTokens()).isPositive();
    }

    @Test
    void noRequestIsSentOnceACapIsReached() {
        AgentResult result = run(
                turns(call("shell", "cmd", "true"), done("made it")),
                builder -> builder.prices(prices())
                        .limits(limits().costCap(CostScope.TOTAL, new BigDecimal("0.001"))
                                .build()));
        assertThat(result.ending()).isEqualTo(Ending.OVER_BUDGET);
        assertThat(result.text()).contains("hard limit");
        assertThat(asked).hasSize(1);
    }

    @Test
    void aCapIsPassedByOneRequestAtMost() {
        BigDecimal cap = BigDecimal.ONE;
        AgentResult result = run(
                request -> call("shell", "cmd", "echo " + request.turns()),
                builder -> builder.prices(prices())
                        .limits(limits().costCap(CostScope.TOTAL, cap).build()));
        assertThat(result.ending()).isEqualTo(Ending.OVER_BUDGET);
        BigDecimal each = result.cost().orElseThrow().divide(BigDecimal.valueOf(asked.size()), RoundingMode.UP);
        assertThat(result.cost().orElseThrow()).isBetween(cap, cap.add(each));
    }

    // Tools

    @Test
    void commandsRunInTheDirectory() {
        AgentResult result = run(turns(call("shell", "cmd", "pwd; echo made > made.txt"), done("made it")));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
        assertThat(workspace.resolve("made.txt")).hasContent("made\n");
        assertThat(lastResult().text()).contains(workspace.toString());
    }

    private PlayedModel.Result lastResult() {
        return asked.stream()
                .filter(request -> !request.results().isEmpty())
                .map(PlayedModel.Asked::last)
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    @Test
    void filesAreReadAndWritten() throws IOException {
        Files.writeString(workspace.resolve("old.txt"), "before\n");
        run(turns(
                call("read_file", "path", "old.txt"),
                call("write_file", "path", "new.txt", "content", "after\n"),
                done("made it")));
        assertThat(workspace.resolve("new.txt")).hasContent("after\n");
        assertThat(asked.get(1).last().text()).contains("before");
    }

    @Test
    void filesOutsideOfTheDirectoryAreNotRead() throws IOException {
        Files.writeString(directory.resolve("outside.txt"), "canary");
        run(turns(call("read_file", "path", "../outside.txt"), done("made it")));
        assertThat(lastResult().error()).isTrue();
        assertThat(lastResult().text()).doesNotContain("canary");
    }

    @Test
    void aToolOfTheHostGetsItsArguments() {
        List<String> got = new CopyOnWriteArrayList<>();
        ToolFactory echo = tool(
                ToolDefinition.builder("echo_back").input(schema -> schema.requiredString("words", "What to say")),
                call -> {
                    got.add(call.arguments().string("words"));
                    return ToolResult.ok("heard it");
                });
        AgentResult result =
                run(turns(call("echo_back", "words", "hällo"), done("made it")), builder -> builder.tool(echo));
        assertThat(got).containsExactly("hällo");
        assertThat(lastResult()).isEqualTo(new PlayedModel.Result("heard it", false));
        assertThat(result.calls()).isEqualTo(2);
    }

    @Test
    void limitsOfToolsAreThoseThatAreSet() {
        run(
                turns(
                        call("shell", "cmd", "echo begun; exec sleep 60", "timeout_seconds", 50),
                        call("shell", "cmd", "yes x | head -c 5000"),
                        done("made it")),
                builder -> builder.tools(tools -> tools.timeLimit("shell", Duration.ofSeconds(1)))
                        .tools(tools -> tools.resultLimit("shell", 1024)));
        // Which of the two comes first on a busy machine is not said.
        assertThat(asked.get(1).last().text())
                .contains("begun")
                .containsAnyOf("killed after 900 ms", "timed out after 1 s");
        assertThat(lastResult().text()).contains("characters left out");
        assertThatThrownBy(() ->
                        run(turns(done("x")), builder -> builder.tools(tools -> tools.resultLimit("shel", 1024))))
                .hasMessageContaining("'shel'")
                .hasMessageContaining("shell");
        assertThatThrownBy(() -> run(
                        turns(done("x")),
                        builder -> builder.tools(tools -> tools.policy(ToolPolicy.byName(List.of(), List.of("shel"))))))
                .hasMessageContaining("'shel'");
    }

    @Test
    void wrongArgumentsAreAnErrorForTheModel() {
        run(turns(call("shell", "cmd", 7), done("made it")));
        assertThat(asked.get(1).last().error()).isTrue();
        assertThat(asked.get(1).last().text()).contains("cmd");
    }

    @Test
    void aToolThatIsNotThereIsAnErrorForTheModel() {
        AgentResult result = run(turns(call("no_such_tool"), done("made it")));
        assertThat(asked.get(1).last().error()).isTrue();
        assertThat(asked.get(1).last().text()).contains("no_such_tool");
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
    }

    @Test
    void aToolThatFailsIsAnErrorForTheModel() {
        ToolFactory broken = tool(ToolDefinition.builder("broken"), call -> {
            throw new IllegalStateException("inner workings");
        });
        AgentResult result = run(turns(call("broken"), done("made it")), builder -> builder.tool(broken));
        assertThat(asked.get(1).last().error()).isTrue();
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
    }

    @Test
    void aPolicyRefusesCalls() {
        run(
                turns(call("shell", "cmd", "touch refused.txt"), done("made it")),
                builder -> builder.tools(tools -> tools.policy(ToolPolicy.byName(List.of(), List.of("shell")))));
        assertThat(workspace.resolve("refused.txt")).doesNotExist();
        assertThat(asked.get(1).last().error()).isTrue();
    }

    @Test
    void whoIsAskedDecidesOnCalls() {
        ToolPolicy asks = ToolPolicy.byRules(
                List.of(ToolRule.of("shell").argument("cmd", "touch").ask("sure?")));
        run(
                turns(call("shell", "cmd", "touch nobody.txt"), done("made it")),
                builder -> builder.tools(tools -> tools.policy(asks)));
        assertThat(asked.get(1).last().text()).contains("nobody to ask");
        asked.clear();
        run(
                turns(
                        call("shell", "cmd", "touch yes.txt"),
                        call("shell", "cmd", "touch no.txt"),
                        call("shell", "cmd", "touch hangs.txt"),
                        done("made it")),
                builder -> builder.tools(tools -> tools.policy(asks))
                        .limits(Limits.builder()
                                .replyTime(Architect.Kind.TOOL_CALL, Duration.ofSeconds(2))
                                .build())
                        .toolApprover((invocation, tool, arguments, question) -> {
                            if (arguments.string("cmd").contains("hangs")) {
                                sleepUntilInterrupted();
                            }
                            return question.equals("sure?")
                                            && arguments.string("cmd").contains("yes")
                                    ? ToolDecision.allow()
                                    : ToolDecision.deny("not this one");
                        }));
        assertThat(workspace.resolve("nobody.txt")).doesNotExist();
        assertThat(workspace.resolve("yes.txt")).exists();
        assertThat(workspace.resolve("no.txt")).doesNotExist();
        assertThat(workspace.resolve("hangs.txt")).doesNotExist();
        assertThat(asked.get(2).last().text()).contains("refused, nothing was run", "not this one");
        assertThat(asked.get(3).last().text()).contains("nobody has within");
    }

    private static void sleepUntilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void toolsOfATeamAreNotOffered() {
        run(turns(done("made it")));
        assertThat(asked.get(0).tools())
                .contains("shell", "read_file", "edit_file", "done", "report_blocked")
                .doesNotContain("submit_plan", "ask_question", "chat_post", "get_diff", "review_complete");
    }

    @Test
    void toolsAreNotLookedForWhereThatIsOff() {
        run(turns(done("made it")));
        assertThat(asked.get(0).tools()).doesNotContain("found_by_service_loader");
    }

    @Test
    void servicesReachTools() {
        ToolFactory asking = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("ask_service")
                        .description("For the contract")
                        .offeredTo(ToolAudience.CODER_CODING)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("the service says "
                        + context.service(StringBuilder.class).orElseThrow());
            }
        };
        run(
                turns(call("ask_service"), done("made it")),
                builder -> builder.tool(asking)
                        .tools(tools -> tools.service(StringBuilder.class, new StringBuilder("yes"))));
        assertThat(lastResult().text()).isEqualTo("the service says yes");
    }

    // Secrets and the record

    @Test
    void aNamedSecretIsNotSentToTheModel() throws IOException {
        Files.writeString(workspace.resolve("config"), "x=" + SECRET);
        AgentBuilder builder = builder(turns(call("read_file", "path", "config"), done("made it")));
        try (Agent agent = builder.secret(SECRET).build()) {
            agent.run(AgentTask.of("The password is " + SECRET));
        }
        assertThat(asked.toString()).contains("The password is", "REDACTED").doesNotContain(SECRET);
    }

    @Test
    void commandsDoNotSeeTheHostsEnvironment() {
        run(turns(call("shell", "cmd", "env"), done("made it")));
        assertThat(lastResult().text()).doesNotContain(System.getenv().getOrDefault("MAESTRO_TEST_API_KEY", "none"));
    }

    @Test
    void allIsInTheRecordWithoutSecrets() {
        Path file = directory.resolve("record.db");
        run(
                turns(call("shell", "cmd", "echo " + SECRET), done("made it")),
                builder -> builder.id("one").record(file).secret(SECRET));
        try (MaestroRecord record = MaestroRecord.sqlite(file, SecretRedactor.withDefaults())) {
            AuditLog log = record.auditLog();
            assertThat(log.toolExecutions("one"))
                    .extracting(AuditLog.ToolExecution::tool)
                    .containsExactly("shell", "done");
            assertThat(log.messages("one")).isNotEmpty();
            assertThat(log.messages("one").toString() + log.toolExecutions("one"))
                    .doesNotContain(SECRET);
            assertThat(log.messages("one").stream()
                            .mapToLong(AuditLog.Message::inputTokens)
                            .sum())
                    .isPositive();
        }
    }

    @Test
    void nothingIsLeftWhereTheRecordIsTheAgentsOwn() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        List<Path> during = new CopyOnWriteArrayList<>();
        AgentBuilder builder = builder(turns(done("made it")));
        try (Agent agent = builder.build();
                var found = Files.newDirectoryStream(temporary, "maestro-agent-*")) {
            found.forEach(during::add);
            agent.run(AgentTask.of("Do it"));
        }
        assertThat(during).isNotEmpty();
        assertThat(during.stream().filter(Files::exists).filter(AgentContract::isOurs))
                .isEmpty();
    }

    /** Others may run at the same time. */
    private static boolean isOurs(Path left) {
        try (var files = Files.list(left)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    // Talk

    @Test
    void theTaskIsToldAndSoAreInstructions() {
        run(turns(done("made it")), builder -> builder.instructions("You are a pirate. Call done at the end."));
        assertThat(asked.get(0).system()).contains("You are a pirate.");
        assertThat(asked.get(0).heard("Do it")).isTrue();
    }

    @Test
    void withoutInstructionsTheEndsAreNamed() {
        run(turns(done("made it")), builder -> builder.id("worker-7"));
        assertThat(asked.get(0).system()).contains("worker-7", "`done`", "`report_blocked`");
    }

    @Test
    void theNextTaskGoesOnInTheSameConversation() {
        AgentBuilder builder = builder(request -> done("answer " + request.turns()));
        try (Agent agent = builder.build()) {
            agent.run(AgentTask.of("The first task"));
            AgentResult second = agent.run(AgentTask.of("The second task"));
            assertThat(second.ending()).isEqualTo(Ending.COMPLETED);
            assertThat(second.calls()).isEqualTo(1);
        }
        PlayedModel.Asked last = asked.get(asked.size() - 1);
        assertThat(last.heard("The first task")).isTrue();
        assertThat(last.heard("The second task")).isTrue();
        assertThat(asked.get(0).heard("The second task")).isFalse();
    }

    @Test
    void twoAgentsDoNotMix() {
        AgentBuilder one = builder(turns(done("one"))).id("one");
        AgentBuilder two = builder(turns(done("two"))).id("two");
        try (Agent first = one.build();
                Agent second = two.build()) {
            assertThat(first.run(AgentTask.of("For one")).text()).isEqualTo("one");
            assertThat(second.run(AgentTask.of("For two")).text()).isEqualTo("two");
        }
        assertThat(asked.stream().filter(request -> request.heard("For one") && request.heard("For two")))
                .isEmpty();
    }

    @Test
    void whoItIs() {
        try (Agent agent = builder(turns(done("x"))).id("a-1").role("reviewer").build()) {
            assertThat(agent.id()).isEqualTo("a-1");
            assertThat(agent.role()).isEqualTo("reviewer");
        }
    }

    @Test
    void aTaskNeedsWords() {
        assertThatThrownBy(() -> AgentTask.of(" ")).isInstanceOf(IllegalArgumentException.class);
    }

    // Events

    @Test
    void listenersAreToldOfToolsAndModels() {
        List<MaestroEvent> events = new CopyOnWriteArrayList<>();
        run(turns(call("shell", "cmd", "true"), done("made it")), builder -> builder.listener(events::add));
        assertThat(events)
                .anySatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(
                                MaestroEvent.ToolStarted.class,
                                started -> assertThat(started.tool()).isEqualTo("shell")))
                .anySatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(
                                MaestroEvent.ToolFinished.class,
                                finished -> assertThat(finished.tool()).isEqualTo("shell")))
                .anySatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(MaestroEvent.ModelAnswered.class, answered -> {
                            assertThat(answered.usage().totalTokens()).isPositive();
                            assertThat(answered.duration()).isPositive();
                        }))
                .anySatisfy(event -> assertThat(event).isInstanceOf(MaestroEvent.ModelCalled.class));
    }

    @Test
    void textsAreToldWhileTheyAreWritten() {
        List<String> pieces = new CopyOnWriteArrayList<>();
        AgentResult result =
                run(turns(text("I have looked at it"), done("made it")), builder -> builder.stream(pieces::add));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
        assertThat(String.join("", pieces)).containsOnlyOnce("I have looked at it");
    }

    @Test
    void aListenerThatThrowsDoesNoHarm() {
        AgentResult result = run(
                turns(done("made it")),
                builder -> builder.listener(event -> {
                    throw new IllegalStateException("a listener's");
                }));
        assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
    }

    // Stopping

    @Test
    void workInTheBackgroundIsWaitedFor() throws InterruptedException {
        try (Agent agent = builder(turns(done("made it"))).build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            assertThat(work.await().text()).isEqualTo("made it");
            assertThat(work.isDone()).isTrue();
            assertThat(work.agent()).isSameAs(agent);
            work.cancel();
        }
    }

    @Test
    void whoDoesNotWaitForLongGetsNothing() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        try (Agent agent = builder(turns(call("wait_long"), done("x")))
                .tool(waiting(began))
                .build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            began.await();
            assertThat(work.await(Duration.ofMillis(1))).isEmpty();
            assertThat(work.isDone()).isFalse();
        }
    }

    @Test
    void workInTheBackgroundIsCancelled() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        try (Agent agent = builder(turns(call("wait_long"), done("x")))
                .tool(waiting(began))
                .build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            began.await();
            work.cancel();
            assertThat(work.await().ending()).isEqualTo(Ending.CANCELLED);
        }
    }

    @Test
    void anInterruptEndsTheWorkAndStaysSet() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        AtomicReference<String> seen = new AtomicReference<>();
        try (Agent agent = builder(turns(call("wait_long"), done("x")))
                .tool(waiting(began))
                .build()) {
            Thread thread = new Thread(() -> {
                AgentResult result = agent.run(AgentTask.of("Do it"));
                seen.set(result.ending() + " " + Thread.currentThread().isInterrupted());
            });
            thread.start();
            began.await();
            thread.interrupt();
            thread.join();
            assertThat(seen).hasValue("CANCELLED true");
        }
    }

    @Test
    void aModelThatDoesNotAnswerCanBeInterrupted() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        PlayedModel silent = request -> {
            began.countDown();
            return PlayedModel.Said.nothing();
        };
        try (Agent agent = builder(silent).build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            began.await();
            work.cancel();
            assertThat(work.await().ending()).isEqualTo(Ending.CANCELLED);
        }
    }

    @Test
    void aTaskAfterACancelledOneIsRun() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        PlayedModel model = request -> request.heard("Do the other") ? done("other") : call("wait_long");
        try (Agent agent = builder(model).tool(waiting(began)).build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            began.await();
            work.cancel();
            assertThat(work.await().ending()).isEqualTo(Ending.CANCELLED);
            assertThat(agent.run(AgentTask.of("Do the other")).text()).isEqualTo("other");
        }
    }

    @Test
    void oneTaskAtATime() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        try (Agent agent = builder(turns(call("wait_long"), done("x")))
                .tool(waiting(began))
                .build()) {
            AgentRun work = agent.start(AgentTask.of("Do it"));
            began.await();
            assertThatThrownBy(() -> agent.run(AgentTask.of("And that")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another task");
            assertThat(work.isDone()).isFalse();
        }
    }

    @Test
    void closingEndsTheWork() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        Agent agent = builder(turns(call("wait_long"), done("x")))
                .tool(waiting(began))
                .build();
        AgentRun work = agent.start(AgentTask.of("Do it"));
        began.await();
        agent.close();
        assertThat(work.await().ending()).isEqualTo(Ending.CANCELLED);
    }

    @Test
    void closedTwiceIsFineAndUsedAfterwardsIsNot() {
        Agent agent = builder(turns(done("x"))).build();
        agent.close();
        agent.close();
        assertThatThrownBy(() -> agent.run(AgentTask.of("Do it")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(asked).isEmpty();
    }

    @Test
    void commandsEndWithTheirAgent() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        Path pid = workspace.resolve("pid");
        Agent agent = builder(turns(call("shell", "cmd", "echo $$ > pid; exec sleep 1000"), done("x")))
                .build();
        AgentRun work = agent.start(AgentTask.of("Do it"));
        while (!Files.exists(pid) || Files.readString(pid).isBlank()) {
            if (began.await(10, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                break;
            }
        }
        long process = Long.parseLong(Files.readString(pid).strip());
        agent.close();
        assertThat(work.await().ending()).isEqualTo(Ending.CANCELLED);
        assertThat(ProcessHandle.of(process).filter(ProcessHandle::isAlive)).isEmpty();
    }
}
