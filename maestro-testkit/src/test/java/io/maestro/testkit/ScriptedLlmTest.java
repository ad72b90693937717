package io.maestro.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.RetriableException;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolReply;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmMessage.Role;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.tools.ToolDefinition;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScriptedLlmTest {
    @Test
    void goesOnWithAConversationOfAnEarlierInstance() {
        LlmResponse before = ScriptedLlm.builder("m")
                .turn(Reply.toolCall("shell", Map.of("command", "ls")))
                .build()
                .complete(request("go"));
        LlmMessage result = new LlmMessage(
                Role.USER, List.of(new ToolReply(before.toolUses().get(0).id(), "a.txt", false)));
        LlmResponse after = ScriptedLlm.builder("m")
                .turn(Reply.toolCall("shell", Map.of("command", "cat a.txt")))
                .build()
                .complete(request(LlmMessage.user("go"), new LlmMessage(Role.ASSISTANT, before.content()), result));

        assertThat(after.toolUses().get(0).id())
                .isNotEqualTo(before.toolUses().get(0).id());
    }

    @Test
    void playsItsTurnsInOrder() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.toolCall("shell", Map.of("command", "ls", "all", true)))
                .turn(Reply.text("hm")
                        .andToolCall("submit_plan", Map.of("plan", "p"))
                        .andRawToolCall("odd", "[1,2"))
                .turn(Reply.nothing())
                .build();

        LlmResponse first = llm.complete(request("go"));
        LlmResponse second = llm.complete(request("go on"));
        LlmResponse third = llm.complete(request("and?"));

        assertThat(first)
                .isEqualTo(new LlmResponse(
                        "m",
                        List.of(new ToolUse("toolu_script_0001", "shell", "{\"all\":true,\"command\":\"ls\"}")),
                        StopReason.TOOL_USE,
                        Usage.NONE));
        assertThat(second.content())
                .containsExactly(
                        new Text("hm"),
                        new ToolUse("toolu_script_0002", "submit_plan", "{\"plan\":\"p\"}"),
                        new ToolUse("toolu_script_0003", "odd", "[1,2"));
        assertThat(third.content()).isEmpty();
        assertThat(third.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThatCode(llm::assertFinished).doesNotThrowAnyException();
        assertThat(llm.requests())
                .extracting(request -> request.messages().get(0).text())
                .containsExactly("go", "go on", "and?");
    }

    @Test
    void saysWhatWasExpectedAndWhatCame() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.text("hello"))
                .turn(Turn.in("CODING").expecting("2 tests failed").reply(Reply.text("I repair them")))
                .build();
        llm.complete(request("go"));

        assertThatThrownBy(() -> llm.complete(request("x".repeat(2000))))
                .isInstanceOf(ScriptViolationException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageStartingWith("script 'm' was left at turn 2 of 2: coder-001 asked for story 042 in PLANNING")
                .hasMessageContaining("expected: state CODING, last user message contains '2 tests failed' -> text")
                .hasMessageContaining("came: not so: state CODING, last user message contains '2 tests failed'")
                .hasMessageContaining("x".repeat(500) + "… (2000 characters)");
    }

    @Test
    void remembersAViolationThatWasSwallowed() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Turn.expecting("this").reply(Reply.text("a")))
                .build();
        assertThatThrownBy(() -> llm.complete(request("that"))).isInstanceOf(ScriptViolationException.class);

        assertThatThrownBy(() -> llm.complete(request("this")))
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining("was left before");
        assertThatThrownBy(llm::verify)
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining("at turn 1 of 1");
        assertThatThrownBy(llm::assertFinished).hasMessageContaining("last user message: that");
    }

    @Test
    void looksForExpectedTextInTheResultsOfTools() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.toolCall("shell", Map.of()))
                .turn(Turn.expecting("BUILD FAILURE").reply(Reply.text("oh")))
                .build();
        LlmContent call = llm.complete(request("go")).content().get(0);

        LlmResponse answer = llm.complete(request(
                LlmMessage.user("go"),
                new LlmMessage(Role.ASSISTANT, List.of(call)),
                new LlmMessage(Role.USER, List.of(new ToolReply("toolu_script_0001", "… BUILD FAILURE …", true)))));

        assertThat(answer.content()).containsExactly(new Text("oh"));
    }

    @Test
    void refusesAConversationThatAServiceWouldRefuse() {
        LlmMessage call = new LlmMessage(Role.ASSISTANT, List.of(new ToolUse("t1", "shell", "{}")));
        LlmMessage result = new LlmMessage(Role.USER, List.of(new ToolReply("t1", "ok", false)));
        LlmMessage go = LlmMessage.user("go");

        assertRefused("the calls [t1] have no result in the turn after them", go, call, go, call, result);
        assertRefused("the calls [t1] have no result", go, call, go);
        assertRefused("the result for t1 answers no call", go, result);
        assertRefused("the result for t1 answers no call", go, call, result, result);
        assertRefused("the id t1 is used by two calls", go, call, result, call, result);
        assertRefused("the last message is not the user's", go, call);
        ScriptedLlm llm = ScriptedLlm.builder("m").turn(Reply.text("fine")).build();
        assertThat(llm.complete(request(go, call, result, go)).content()).hasSize(1);
    }

    private static void assertRefused(String why, LlmMessage... messages) {
        ScriptedLlm llm = ScriptedLlm.builder("m").repeat(Reply.text("a")).build();
        assertThatThrownBy(() -> llm.complete(request(messages)))
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining("came: " + why);
    }

    @Test
    void endsLoudlyAfterItsLastTurn() {
        ScriptedLlm llm = ScriptedLlm.builder("m").turn(Reply.text("a")).build();
        llm.complete(request("go"));

        assertThatThrownBy(() -> llm.complete(request("go")))
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining("no further request: all 1 turns are played");
    }

    @Test
    void namesTheTurnsThatWereNotPlayed() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.text("a"))
                .turn(Turn.in("CODING").reply(Reply.toolCall("done", Map.of())))
                .story("7", script -> script.turn(Reply.text("never")))
                .build();
        llm.complete(request("go"));

        assertThatCode(llm::verify).doesNotThrowAnyException();
        assertThatThrownBy(llm::assertFinished)
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining(
                        "script 'm': 1 of 2 turns were played; the next would be: state CODING -> call of done")
                .hasMessageContaining("script 'm' of story 7: 0 of 1 turns were played");
    }

    @Test
    void repeatsItsLastTurnForEver() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.text("once"))
                .repeat(Reply.toolCall("shell", Map.of()))
                .build();
        llm.complete(request("go"));
        assertThatCode(llm::assertFinished).doesNotThrowAnyException();

        Set<String> ids = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 100)
                .forEach(i ->
                        ids.add(llm.complete(request("go")).toolUses().get(0).id()));

        assertThat(ids).hasSize(100);
        assertThatCode(llm::assertFinished).doesNotThrowAnyException();
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> ScriptedLlm.builder("m").repeat(Reply.nothing()).turn(Reply.nothing()))
                .withMessageContaining("put repeat(…) last");
    }

    @Test
    void throwsAScriptedFailureAndGoesOn() {
        LlmUnavailableException overloaded = new LlmUnavailableException("529", null, null);
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(Reply.failure(overloaded))
                .turn(Reply.text("back"))
                .build();

        assertThatThrownBy(() -> llm.complete(request("go"))).isSameAs(overloaded);
        assertThat(llm.complete(request("go")).content()).containsExactly(new Text("back"));
        assertThatCode(llm::assertFinished).doesNotThrowAnyException();
    }

    @Test
    void computesAReplyAndTakesAssertionsInIt() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .turn(request -> Reply.text(
                                "you said " + request.messages().get(0).text())
                        .stopReason(StopReason.MAX_TOKENS)
                        .usage(new Usage(1, 2, 3, 4)))
                .turn(request -> {
                    assertThat(request.tools()).isEmpty();
                    return Reply.nothing();
                })
                .build();
        ToolDefinition shell =
                ToolDefinition.builder("shell").description("runs a command").build();

        LlmResponse first = llm.complete(request("go"));

        assertThat(first)
                .isEqualTo(new LlmResponse(
                        "m", List.of(new Text("you said go")), StopReason.MAX_TOKENS, new Usage(1, 2, 3, 4)));
        assertThatThrownBy(() -> llm.complete(request(List.of(shell), LlmMessage.user("go"))))
                .isInstanceOf(ScriptViolationException.class)
                .hasMessageContaining("at turn 2 of 2")
                .hasCauseInstanceOf(AssertionError.class);
        assertThatThrownBy(llm::verify).isInstanceOf(ScriptViolationException.class);
    }

    @Test
    void expectsAgentsToolsSystemPromptsAndWhateverElse() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .repeat(Turn.any()
                        .from("coder-001")
                        .expectingSystem("You are")
                        .expectingTool("shell")
                        .expecting(
                                "at most 1 message",
                                request -> request.messages().size() <= 1)
                        .reply(Reply.nothing()))
                .build();
        ToolDefinition shell =
                ToolDefinition.builder("shell").description("runs a command").build();

        assertThat(llm.complete(request(List.of(shell), LlmMessage.user("go"))).content())
                .isEmpty();
        assertThatThrownBy(() -> llm.complete(request(List.of(), LlmMessage.user("a"), LlmMessage.user("b"))))
                .hasMessageContaining("not so: tool shell is offered, at most 1 message\n");
    }

    @Test
    void refusesArgumentsThatAreNotJson() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reply.toolCall("shell", Map.of("command", new Object())))
                .withMessageContaining("scripted call of shell");
    }

    @Test
    void servesSeveralStoriesAtTheSameTime() throws Exception {
        int stories = 4;
        int turns = 50;
        ScriptedLlm.Builder builder = ScriptedLlm.builder("m");
        for (int s = 0; s < stories; s++) {
            String story = "s" + s;
            builder.story(
                    story,
                    script -> IntStream.range(0, turns)
                            .forEach(t -> script.turn(Turn.expecting(story + "/" + t + ";")
                                    .reply(Reply.toolCall(story, Map.of("turn", t))))));
        }
        ScriptedLlm llm = builder.build();
        ExecutorService threads = Executors.newFixedThreadPool(stories);
        CountDownLatch start = new CountDownLatch(1);
        try {
            List<Future<String>> runs = IntStream.range(0, stories)
                    .mapToObj(s -> threads.submit(() -> {
                        start.await();
                        String lastId = "";
                        for (int t = 0; t < turns; t++) {
                            LlmRequest request = request("s" + s, List.of(), LlmMessage.user("s" + s + "/" + t + ";"));
                            lastId = llm.complete(request).toolUses().get(0).id();
                        }
                        return lastId;
                    }))
                    .toList();
            start.countDown();
            for (int s = 0; s < stories; s++) {
                assertThat(runs.get(s).get(30, TimeUnit.SECONDS)).isEqualTo("toolu_script_s" + s + "_0050");
            }
        } finally {
            threads.shutdownNow();
        }
        llm.assertFinished();
        assertThat(llm.requests()).hasSize(stories * turns);
    }

    @Test
    void keepsTheViolationOfOneStoryFromTheOthers() {
        ScriptedLlm llm = ScriptedLlm.builder("m")
                .story("1", script -> script.turn(Turn.expecting("x").reply(Reply.nothing())))
                .story("2", script -> script.turn(Turn.expecting("y").reply(Reply.nothing())))
                .build();

        assertThatThrownBy(() -> llm.complete(request("1", List.of(), LlmMessage.user("y"))))
                .hasMessageContaining("script 'm' of story 1 was left");
        assertThat(llm.complete(request("2", List.of(), LlmMessage.user("y"))).content())
                .isEmpty();
        assertThatThrownBy(() -> llm.complete(request("3", List.of(), LlmMessage.user("z"))))
                .hasMessageContaining("there is no turn for this story");
        assertThatThrownBy(llm::verify)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScriptedLlm.builder("m").story("1", s -> {}).story("1", s -> {}));
    }

    @Test
    void hangsUntilInterrupted() throws Exception {
        ScriptedLlm llm = ScriptedLlm.builder("m").turn(Reply.hang()).build();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        CountDownLatch started = new CountDownLatch(1);
        try {
            Future<Boolean> run = thread.submit(() -> {
                started.countDown();
                try {
                    llm.complete(request("go"));
                    return false;
                } catch (LlmInterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            thread.shutdownNow();
            assertThat(thread.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(run.get()).isTrue();
        } finally {
            thread.shutdownNow();
        }
    }

    private static LlmRequest request(String text) {
        return request(LlmMessage.user(text));
    }

    private static LlmRequest request(LlmMessage... messages) {
        return request(List.of(), messages);
    }

    private static LlmRequest request(List<ToolDefinition> tools, LlmMessage... messages) {
        return request("042", tools, messages);
    }

    private static LlmRequest request(String story, List<ToolDefinition> tools, LlmMessage... messages) {
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", story, "PLANNING"),
                "You are a coder.",
                List.of(messages),
                tools,
                1000,
                OptionalDouble.empty());
    }
}
