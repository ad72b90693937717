package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.made;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Property;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProgress;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolRuntimeTest {
    private static final String SECRET = "hunter2";

    private final RecordedCalls record = new RecordedCalls();
    private final List<MaestroEvent> events = new ArrayList<>();
    private ToolRuntime runtime = builder().build();

    private ToolRuntime.Builder builder() {
        return ToolRuntime.builder()
                .record(record)
                .redactor(text -> text.replace(SECRET, "[REDACTED]"))
                .listener(events::add);
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    private static ToolInvocation invocation(String tool, String input) {
        return new ToolInvocation(
                "call-1", tool, input, new ToolInvocation.Caller("session", "coder-001", "042", 2, "CODING"));
    }

    private static AgentTools provider(ToolFactory... factories) {
        ToolRegistry registry = ToolRegistry.builder().build();
        for (ToolFactory factory : factories) {
            registry.register(factory);
        }
        return registry.agentTools(CODING);
    }

    private ToolResult call(ToolFactory factory, String input) {
        return runtime.call(provider(factory), invocation(factory.definition().name(), input));
    }

    private static final ToolFactory GREET = tool(
            "greet",
            d -> d.input(schema -> schema.requiredString("name", "Whom").optionalInteger("times", "How often")),
            call -> ToolResult.ok("Hello " + call.arguments().string("name")));

    @Test
    void callsTheToolAndRecordsIt() {
        Instant before = Instant.now();
        ToolResult result = call(GREET, "{\"name\": \"Ada\"}");

        assertThat(result.isError()).isFalse();
        assertThat(result.text()).isEqualTo("Hello Ada");
        AuditLog.ToolExecution row = record.last();
        assertThat(record.rows).hasSize(1);
        assertThat(row.sessionId()).isEqualTo("session");
        assertThat(row.agentId()).isEqualTo("coder-001");
        assertThat(row.storyId()).isEqualTo("042");
        assertThat(row.attempt()).isEqualTo(2);
        assertThat(row.state()).isEqualTo("CODING");
        assertThat(row.tool()).isEqualTo("greet");
        assertThat(row.callId()).isEqualTo("call-1");
        assertThat(row.parameters()).isEqualTo("{\"name\": \"Ada\"}");
        assertThat(row.result()).isEqualTo("{\"text\":\"Hello Ada\"}");
        assertThat(row.error()).isNull();
        assertThat(row.exitCode()).isNull();
        assertThat(row.durationMillis()).isBetween(0L, 10_000L);
        assertThat(row.at()).isBetween(before, Instant.now());
    }

    /** What is kept of a call is what the record and the model have of it, after the one and before the other. */
    @Test
    void theTrackerSeesEachAnswerOnceItIsRecorded() {
        List<String> seen = new ArrayList<>();
        runtime = builder()
                .tracker((invocation, answer) -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    seen.add(record.rows.size() + " " + invocation.tool() + " " + answer);
                })
                .build();
        call(GREET, "{\"name\": \"" + SECRET + "\"}");
        call(GREET, "{}");
        runtime.call(provider(), invocation("gone", "{}"));
        Thread.currentThread().interrupt();
        call(GREET, "{\"name\": \"late\"}");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).hasSize(4);
        assertThat(seen.get(0)).isEqualTo("1 greet ok: Hello [REDACTED]");
        assertThat(seen.get(1)).startsWith("2 greet error: The arguments of 'greet' are not valid");
        assertThat(seen.get(2)).startsWith("3 gone error: ");
        assertThat(seen.get(3)).startsWith("4 greet error: The call was cancelled");
    }

    @Test
    void aTrackerThatCannotKeepWhatItSawKeepsTheAnswerBack() {
        runtime = builder()
                .tracker((invocation, answer) -> {
                    throw new StoreException("the disk is full", null);
                })
                .build();
        assertThatThrownBy(() -> call(GREET, "{\"name\": \"Ada\"}"))
                .isInstanceOf(StoreException.class)
                .hasMessage("the disk is full");
        assertThat(record.rows).hasSize(1);
    }

    @Test
    void theIdOfAnImageIsNoSecret() {
        String image = "sha256:" + "0123456789abcdef".repeat(4);
        List<Object> seen = new ArrayList<>();
        runtime = ToolRuntime.builder()
                .record(record)
                .redactor(SecretRedactor.withDefaults())
                .tracker((invocation, answer) -> seen.add(answer.data().get("image")))
                .build();
        call(
                tool(
                        "container_update",
                        call -> ToolResult.builder("now " + image)
                                .data("image", image)
                                .build()),
                "{}");
        assertThat(seen).containsExactly(image);
    }

    @Test
    void recordsDataSignalAndExitCode() {
        ToolResult result = call(
                tool(
                        "full",
                        call -> ToolResult.builder("built")
                                .data("files", List.of("a", "b"))
                                .exitCode(0)
                                .signal(new ToolSignal("done", Map.of("summary", "all")))
                                .build()),
                "{}");

        assertThat(result.data()).isEqualTo(Map.of("files", List.of("a", "b")));
        assertThat(result.signal()).contains(new ToolSignal("done", Map.of("summary", "all")));
        assertThat(record.last().result())
                .startsWith("{\"text\":\"built\",\"data\":{\"files\":[\"a\",\"b\"]},\"signal\":");
        assertThat(record.last().exitCode()).isZero();
    }

    @Test
    void anErrorOfTheToolKeepsItsExitCode() {
        ToolResult result = call(
                tool(
                        "build",
                        call -> ToolResult.builder("it does not compile")
                                .error()
                                .exitCode(2)
                                .build()),
                "{}");

        assertThat(result.isError()).isTrue();
        assertThat(result.exitCode()).hasValue(2);
        assertThat(record.last().exitCode()).isEqualTo(2);
        assertThat(record.last().result()).isNull();
        assertThat(record.last().error()).isEqualTo("it does not compile");
    }

    @Test
    void blankInputIsAnEmptyObject() {
        ToolResult result =
                call(tool("plain", call -> ToolResult.ok(call.arguments().toString())), " \n");

        assertThat(result.text()).isEqualTo("{}");
        assertThat(record.last().parameters()).isEqualTo("{}");
    }

    @Test
    void refusesAToolThatIsUnknownOrNotAllowed() {
        ToolRegistry registry = ToolRegistry.builder().build().register(GREET).register(tool("other", call -> {
            throw new AssertionError("must not run");
        }));
        AgentTools provider = registry.agentTools(CODING, Set.of("greet"));

        assertThat(runtime.call(provider, invocation("other", "{}")).text())
                .isEqualTo("there is no tool 'other' here; available are: greet");
        assertThat(runtime.call(provider, invocation("gret", "{}")).text()).contains("did you mean 'greet'?");
        String endless = "x".repeat(100_000);
        assertThat(runtime.call(provider, invocation(endless, "{}")).text()).hasSizeLessThan(300);
        assertThat(record.rows).hasSize(3).allSatisfy(row -> {
            assertThat(row.error()).startsWith("there is no tool");
            assertThat(row.tool()).hasSizeLessThan(300);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "\"{}\"",
                "3",
                "null",
                "true",
                "{",
                "{}{}",
                "{\"name\": \"a\", \"name\": \"b\"}",
                "name=Ada",
                "{\"name\": NaN}",
                "{'name': 'Ada'}"
            })
    void refusesWhatIsNoJsonObject(String input) {
        ToolResult result = call(GREET, input);

        assertThat(result.isError()).isTrue();
        assertThat(result.text()).startsWith("The arguments of 'greet' are not valid, nothing was run: they ");
        assertThat(record.last().parameters()).isEqualTo(input);
        assertThat(record.last().error()).isEqualTo(result.text());
    }

    @Test
    void saysWhereTheJsonBreaks() {
        assertThat(call(GREET, "{\"name\": \"Ada\",\n oops}").text())
                .isEqualTo(
                        "The arguments of 'greet' are not valid, nothing was run: they are not valid JSON (line 2, column 2):"
                                + " Unexpected character ('o' (code 111)): was expecting double-quote to start field name");
        assertThat(call(GREET, "\"{}\"").text()).contains("not a string that holds it");
    }

    @Test
    void boundsDepthAndSizeOfTheInput() {
        ToolFactory open =
                tool("open", d -> d.input(schema -> schema.allowAdditionalProperties()), call -> ToolResult.ok("ran"));

        assertThat(call(open, "{\"a\":".repeat(99) + "1" + "}".repeat(99)).text())
                .isEqualTo("ran");
        assertThat(call(open, "{\"a\":".repeat(101) + "1" + "}".repeat(101)).text())
                .contains("nested too deeply");
        assertThat(call(open, "{\"a\":" + "1".repeat(2000) + "}").text()).contains("1000 digits");
        assertThat(call(open, "{\"a\":[{\"b\":-1e400}]}").text()).contains("a number that is too large");
        assertThat(call(open, "{\"a\":1e999999999}").text()).contains("a number that is too large");
        assertThat(call(open, "{\"a\":\"" + "x".repeat(1024 * 1024) + "\"}").text())
                .contains("1048584 characters long, at most 1048576");
        assertThat(record.last().parameters()).hasSizeLessThan(66_000).contains("characters left out");
    }

    @Test
    void namesEachFaultAndDoesNotRun() {
        ToolFactory never = tool(
                "greet",
                d -> d.input(schema -> schema.requiredString("name", "Whom").optionalInteger("times", "How often")),
                call -> {
                    throw new AssertionError("must not run");
                });

        assertThat(call(never, "{\"nam\": \"Ada\", \"times\": \"abc\"}").text())
                .startsWith(
                        "The arguments of 'greet' are not valid, nothing was run. Correct them and call it again:\n- ")
                .contains("\n- $.name: is missing but required")
                .contains("\n- $.nam: unknown property; did you mean \"name\"?")
                .contains("\n- $.times: must be an integer, is \"abc\" (string)");
    }

    @Test
    void aSchemaThatCannotBeUsedIsAnAnswer() {
        ToolFactory broken = tool(
                "broken",
                d -> d.input(schema -> schema.optional("x", Property.string("").with("pattern", "["))),
                call -> ToolResult.ok(""));
        ToolRegistry registry = ToolRegistry.builder().builtIn(List.of(broken)).build();

        assertThat(runtime.call(registry.agentTools(CODING), invocation("broken", "{}"))
                        .text())
                .contains("'broken' is broken", "input schema can't be used");
    }

    @Test
    void theHostsPolicyIsAskedWithValidArguments() {
        runtime = builder()
                .policy((invocation, definition, arguments) ->
                        ToolDecision.deny("no greeting of " + arguments.string("name") + " by " + definition.name()))
                .build();

        assertThat(call(GREET, "{\"name\": \"Ada\"}").text())
                .isEqualTo("The call was refused, nothing was run: no greeting of Ada by greet");
        assertThat(record.last().error()).contains("refused");
        assertThat(call(GREET, "{}").text()).contains("is missing but required");
    }

    @Test
    void aPolicyThatFailsHasRefused() {
        List<Throwable> failures =
                List.of(new IllegalStateException("no answer, " + SECRET), new NoClassDefFoundError("x"));
        for (Throwable failure : failures) {
            runtime = builder()
                    .policy((invocation, definition, arguments) -> {
                        throw TestTools.<RuntimeException>sneaky(failure);
                    })
                    .build();

            assertThat(call(GREET, "{\"name\": \"Ada\"}").text())
                    .contains("refused", failure.getClass().getName())
                    .doesNotContain(SECRET, "Hello");
        }
    }

    @Test
    void whatAToolThrowsIsAnAnswer() {
        List<Throwable> failures = List.of(
                new IOException("no space left, " + SECRET),
                new StackOverflowError(),
                new OutOfMemoryError("made up"),
                new NoSuchMethodError("gone"),
                new AssertionError("wrong"),
                new InterruptedException());
        for (Throwable failure : failures) {
            ToolResult result = call(
                    tool("bad", call -> {
                        throw TestTools.<Exception>sneaky(failure);
                    }),
                    "{}");

            assertThat(result.isError()).isTrue();
            assertThat(result.text()).contains("'bad' ").doesNotContain(SECRET);
            assertThat(record.last().error()).isEqualTo(result.text());
        }
        assertThat(record.rows.get(0).error())
                .isEqualTo("'bad' failed: java.io.IOException: no space left, [REDACTED]");
        assertThat(record.rows.get(1).error()).isEqualTo("'bad' failed: java.lang.StackOverflowError");
    }

    @Test
    void aToolThatCannotBeCreatedIsAnAnswer() {
        ToolResult result = call(
                made("gone", d -> d, context -> {
                    throw new IllegalStateException("no server");
                }),
                "{}");

        assertThat(result.text()).contains("'gone'", "could not be created", "no server", "test-classes");
    }

    @Test
    void nullIsAnError() {
        assertThat(call(tool("nothing", call -> null), "{}").text()).contains("'nothing' is broken", "returned null");
    }

    @Test
    void keepsHeadAndTailOfALongAnswer() {
        String text = "HEAD" + "x".repeat(50_000_000) + "TAIL";
        ToolResult result = call(tool("long", call -> ToolResult.ok(text)), "{}");

        assertThat(result.text())
                .hasSizeLessThan(66_000)
                .startsWith("HEAD")
                .endsWith("TAIL")
                .contains("[... 49934472 of 50000008 characters left out ...]");
        assertThat(record.last().result()).hasSizeLessThan(67_000);
    }

    @Test
    void eachToolHasItsOwnLimit() {
        String text = "x".repeat(100_000);
        assertThat(call(tool("large", d -> d.resultLimit(100_000), call -> ToolResult.ok(text)), "{}")
                        .text())
                .isEqualTo(text);
        assertThat(call(tool("small", d -> d.resultLimit(2_000), call -> ToolResult.ok(text)), "{}")
                        .text())
                .contains("[... 98000 of 100000 characters left out ...]");
    }

    @Test
    void leavesOutDataThatIsTooLong() {
        ToolResult result = call(
                tool(
                        "long",
                        call -> ToolResult.builder("short")
                                .data("x", "y".repeat(100_000))
                                .build()),
                "{}");

        assertThat(result.data()).isEmpty();
        assertThat(result.text())
                .isEqualTo("short\n[structured data of 100008 characters left out: at most 65536 are kept]");
    }

    @Test
    void noSecretPasses() {
        ToolResult result = call(
                tool(
                        "leak",
                        d -> d.input(schema -> schema.optionalString("token", "")),
                        call -> ToolResult.builder("text " + SECRET)
                                .data("deep", List.of(Map.of("key", "data " + SECRET)))
                                .data("number", 7)
                                .signal(new ToolSignal("s", Map.of("x", SECRET)))
                                .build()),
                "{\"token\": \"" + SECRET + "\"}");

        assertThat(result.text()).isEqualTo("text [REDACTED]");
        assertThat(result.data()).isEqualTo(Map.of("deep", List.of(Map.of("key", "data [REDACTED]")), "number", 7));
        assertThat(result.signal().orElseThrow().data()).isEqualTo(Map.of("x", "[REDACTED]"));
        assertThat(record.rows.toString()).doesNotContain(SECRET).contains("{\"token\": \"[REDACTED]\"}");
        assertThat(events.toString()).doesNotContain(SECRET);
    }

    @Test
    void aSecretIsNotCutInTwoByTheLimit() {
        String text = "x".repeat(49_152 - 3) + SECRET + "x".repeat(40_000);

        assertThat(call(tool("long", call -> ToolResult.ok(text)), "{}").text()).doesNotContain("hun");
    }

    @Test
    void aSecretIsNotCutInTwoByAMessage() {
        for (int padding : new int[] {75, 77, 195, 197, 250, 253, 297}) {
            String cut = "x".repeat(padding) + SECRET + "x".repeat(100);
            String text = '"' + cut + '"';
            List<ToolResult> answers = List.of(
                    call(GREET, "{\"name\":\"a\",\"times\":" + text + "}"),
                    call(GREET, "{\"name\":\"a\"," + text + ":1}"),
                    call(GREET, "{" + text + ":1," + text + ":1}"),
                    call(GREET, text),
                    call(GREET, cut),
                    call(GREET, "{\"name\":" + cut + "}"),
                    runtime.call(provider(GREET), invocation(cut, "{}")));

            assertThat(answers).allSatisfy(answer -> {
                assertThat(answer.isError()).isTrue();
                assertThat(answer.text()).doesNotContain("hun");
            });
        }
        assertThat(record.rows.toString()).doesNotContain("hun");
        assertThat(events.toString()).doesNotContain("hun");
    }

    @Test
    void whatCannotBeScannedDoesNotPass() {
        runtime = ToolRuntime.builder()
                .record(record)
                .redactor(text -> {
                    throw new IllegalStateException(text);
                })
                .build();

        ToolResult result = call(GREET, "{\"name\": \"" + SECRET + "\"}");

        assertThat(result.isError()).isTrue();
        assertThat(result.text())
                .isEqualTo("The tool ran, but its answer is withheld: it could not be scanned for secrets.");
        assertThat(record.rows.toString()).doesNotContain(SECRET);
    }

    @Test
    void dataThatIsNoJsonIsAnError() {
        Object deep = "bottom";
        for (int level = 0; level < 150; level++) {
            deep = List.of(deep);
        }
        Object tooDeep = deep;

        assertThat(call(
                                tool(
                                        "odd",
                                        call -> ToolResult.builder("ok")
                                                .data("x", new Object())
                                                .build()),
                                "{}")
                        .text())
                .startsWith("'odd' failed: java.lang.IllegalArgumentException: not a JSON type: java.lang.Object");
        assertThat(call(
                                tool(
                                        "odd",
                                        call -> ToolResult.builder("ok")
                                                .data("x", tooDeep)
                                                .build()),
                                "{}")
                        .text())
                .contains("nested more than 100 levels");
    }

    @Test
    void tellsTheListener() {
        call(GREET, "{\"name\": \"Ada\"}");
        call(GREET, "{}");

        assertThat(events).hasSize(4);
        MaestroEvent.ToolStarted started = (MaestroEvent.ToolStarted) events.get(0);
        MaestroEvent.ToolFinished first = (MaestroEvent.ToolFinished) events.get(1);
        assertThat(started)
                .isEqualTo(new MaestroEvent.ToolStarted(
                        "042",
                        "coder-001",
                        first.attempt(),
                        "CODING",
                        "greet",
                        first.callId(),
                        null,
                        "{\"name\": \"Ada\"}",
                        record.rows.get(0).at()));
        assertThat(first.callId()).isEqualTo(record.rows.get(0).callId());
        assertThat(first.attempt()).isEqualTo(record.rows.get(0).attempt());
        assertThat(first.state()).isEqualTo("CODING");
        assertThat(first.answer()).isEqualTo("Hello Ada");
        assertThat(first.at()).isAfterOrEqualTo(started.at());
        assertThat(first.error()).isFalse();
        assertThat(first.summary()).isEqualTo("Hello Ada");
        assertThat(((MaestroEvent.ToolFinished) events.get(3)).error()).isTrue();
    }

    @Test
    void tellsHowFarACallIsAsLongAsItLasts() {
        AtomicReference<ToolCall> kept = new AtomicReference<>();
        List<String> told = new ArrayList<>();
        AgentTools tools = provider(tool("steps", call -> {
            kept.set(call);
            call.progress().step("first\nand more");
            call.progress().step(" ");
            call.progress().step("x".repeat(400));
            return ToolResult.ok("done");
        }));
        assertThat(runtime.call(tools, invocation("steps", "{}"), step -> {
                            told.add(step);
                            throw new IllegalStateException("nobody is there");
                        })
                        .text())
                .isEqualTo("done");
        kept.get().progress().step("too late");

        assertThat(told).hasSize(2).first().isEqualTo("first");
        assertThat(told.get(1))
                .hasSizeLessThanOrEqualTo(ToolProgress.MOST_CHARACTERS)
                .startsWith("xxx");
        assertThat(events).hasSize(4);
        MaestroEvent.ToolProgressed first = (MaestroEvent.ToolProgressed) events.get(1);
        assertThat(first)
                .isEqualTo(new MaestroEvent.ToolProgressed(
                        "042",
                        "coder-001",
                        first.attempt(),
                        "CODING",
                        "steps",
                        ((MaestroEvent.ToolFinished) events.get(3)).callId(),
                        "first",
                        first.at()));
    }

    @Test
    void cutsWhatTheListenerIsToldOfALongAnswer() {
        call(tool("long", call -> ToolResult.ok("x".repeat(1_998) + "😀" + "y".repeat(9))), "{}");

        MaestroEvent.ToolFinished end = (MaestroEvent.ToolFinished) events.get(1);
        assertThat(end.answer()).isEqualTo("x".repeat(1_998) + "…");
    }

    @Test
    void aCallThatItsCallerRefusesIsARowAndTold() {
        Thread.currentThread().interrupt();
        ToolResult interrupted = runtime.refuse(invocation("greet", "{}"), "not run: too late");
        assertThat(Thread.interrupted()).isTrue();
        ToolResult answer = runtime.refuse(invocation("greet", "{\"name\":\"Ada\"}"), "not run: too late");

        assertThat(interrupted.isError()).isTrue();
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).isEqualTo("not run: too late");
        assertThat(record.rows).hasSize(2);
        assertThat(record.last().error()).isEqualTo("not run: too late");
        assertThat(record.last().result()).isNull();
        assertThat(record.last().parameters()).isEqualTo("{\"name\":\"Ada\"}");
        assertThat(events).hasSize(4);
    }

    @Test
    void aListenerThatThrowsIsIgnored() {
        runtime = builder()
                .listener(event -> {
                    throw new IllegalStateException("listener");
                })
                .build();

        assertThat(call(GREET, "{\"name\": \"Ada\"}").text()).isEqualTo("Hello Ada");
    }

    @Test
    void aProviderThatFailsIsAnAnswer() {
        AgentTools broken = (AgentTools) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {AgentTools.class}, (proxy, method, args) -> {
                    throw new IllegalStateException("no list");
                });

        assertThat(runtime.call(broken, invocation("x", "{}")).text()).contains("no list");
        assertThat(record.rows).hasSize(1);
    }

    @Test
    void onlyABrokenRecordThrows() {
        runtime = ToolRuntime.builder()
                .record((call, answer) -> {
                    throw new StoreException("the disk is full", null);
                })
                .redactor(text -> text)
                .build();

        assertThatThrownBy(() -> call(GREET, "{\"name\": \"Ada\"}"))
                .isInstanceOf(StoreException.class)
                .hasMessage("the disk is full");
    }

    @Test
    void afterCloseNothingRuns() {
        runtime.close();

        assertThat(call(GREET, "{\"name\": \"Ada\"}").text()).contains("Maestro is being closed");
        assertThat(record.rows).hasSize(1);
    }

    @Test
    void needsARecordAndARedactor() {
        assertThatThrownBy(() -> ToolRuntime.builder().record(record).build())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ToolRuntime.builder().redactor(text -> text).build())
                .isInstanceOf(IllegalStateException.class);
    }
}
