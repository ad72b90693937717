package io.maestro.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LlmClient;
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
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The promises of {@link LlmClient} as tests; a subclass says which client, and stands in for its model. */
public abstract class LlmClientContract {
    /** For subclasses. */
    protected LlmClientContract() {}

    /**
     * Makes a client whose model plays a script.
     *
     * @param answers what its model answers, in this order; ids of calls may become others
     * @return a client of a model named {@code m}
     */
    protected abstract LlmClient answering(LlmResponse... answers);

    /**
     * Makes a client whose model never answers.
     *
     * @param asked is counted down when the model is asked
     * @return a client of a model named {@code m}
     */
    protected abstract LlmClient hanging(CountDownLatch asked);

    private static LlmRequest go() {
        return request(LlmMessage.user("go"));
    }

    private static LlmRequest request(LlmMessage... messages) {
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "",
                List.of(messages),
                List.of(),
                1000,
                OptionalDouble.empty());
    }

    @Test
    void answersWithText() {
        LlmResponse said = new LlmResponse("m", List.of(new Text("hello")), StopReason.END_TURN, new Usage(3, 4, 1, 0));
        LlmClient client = answering(said);

        assertThat(client.model()).isEqualTo("m");
        assertThat(client.complete(go())).isEqualTo(said);
    }

    @Test
    void answersWithNothing() {
        LlmResponse said = new LlmResponse("m", List.of(), StopReason.END_TURN, Usage.NONE);

        assertThat(answering(said).complete(go())).isEqualTo(said);
    }

    @Test
    void callsToolsAndTakesTheirResults() {
        LlmClient client = answering(
                new LlmResponse(
                        "m",
                        List.of(
                                new Text("I look"),
                                new ToolUse("t1", "shell", "{\"command\":\"ls\",\"deep\":{\"list\":[1,null]}}"),
                                new ToolUse("t2", "shell", "{}")),
                        StopReason.TOOL_USE,
                        Usage.NONE),
                new LlmResponse("m", List.of(new Text("done")), StopReason.END_TURN, Usage.NONE));

        LlmResponse calls = client.complete(go());

        assertThat(calls.stopReason()).isEqualTo(StopReason.TOOL_USE);
        assertThat(calls.content()).first().isEqualTo(new Text("I look"));
        assertThat(calls.toolUses())
                .extracting(ToolUse::input)
                .containsExactly("{\"command\":\"ls\",\"deep\":{\"list\":[1,null]}}", "{}");
        assertThat(calls.toolUses())
                .extracting(ToolUse::id)
                .doesNotHaveDuplicates()
                .doesNotContain("");

        List<LlmContent> results = new ArrayList<>();
        calls.toolUses().forEach(use -> results.add(new ToolReply(use.id(), "result", false)));
        LlmResponse end = client.complete(request(
                LlmMessage.user("go"),
                new LlmMessage(Role.ASSISTANT, calls.content()),
                new LlmMessage(Role.USER, results)));

        assertThat(end.content()).containsExactly(new Text("done"));
    }

    @Test
    void tellsThatAnAnswerWasCut() {
        LlmResponse said = new LlmResponse("m", List.of(new Text("hel")), StopReason.MAX_TOKENS, Usage.NONE);

        assertThat(answering(said).complete(go())).isEqualTo(said);
    }

    /** A client whose library puts all texts of an answer together tries another answer in place of this one's. */
    @Test
    protected void tellsAListenerWhatItSays() {
        List<LlmContent> content =
                List.of(new Text("I look ä😀"), new ToolUse("t1", "shell", "{}"), new Text("and wait"));
        LlmClient client = answering(new LlmResponse("m", content, StopReason.TOOL_USE, Usage.NONE));
        StringBuilder told = new StringBuilder();
        List<Thread> threads = new ArrayList<>();

        LlmResponse said = client.complete(go(), text -> {
            assertThat(text).isNotEmpty();
            told.append(text);
            threads.add(Thread.currentThread());
        });

        assertThat(told).hasToString("I look ä😀and wait");
        assertThat(threads).containsOnly(Thread.currentThread());
        assertThat(said.content()).hasSize(3);
    }

    @Test
    void tellsAListenerNothingOfAnAnswerWithoutText() {
        LlmClient client = answering(
                new LlmResponse("m", List.of(new ToolUse("t1", "shell", "{}")), StopReason.TOOL_USE, Usage.NONE));
        List<String> told = new ArrayList<>();

        client.complete(go(), told::add);

        assertThat(told).isEmpty();
    }

    @Test
    void endsWithWhatAListenerThrows() {
        LlmClient client = answering(new LlmResponse("m", List.of(new Text("hello")), StopReason.END_TURN, Usage.NONE));
        IllegalStateException thrown = new IllegalStateException("seen enough");

        assertThatThrownBy(() -> client.complete(go(), text -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }

    @Test
    void asksNothingForAThreadThatIsInterrupted() {
        LlmClient client = answering(new LlmResponse("m", List.of(new Text("hello")), StopReason.END_TURN, Usage.NONE));
        Thread.currentThread().interrupt();

        assertThat(endsInterrupted(client)).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.complete(go()).content()).hasSize(1);
    }

    @Test
    void endsWhenItsThreadIsInterrupted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        LlmClient client = hanging(asked);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> interrupted = caller.submit(() -> endsInterrupted(client));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            caller.shutdownNow();
            assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            caller.shutdownNow();
        }
    }

    private static boolean endsInterrupted(LlmClient client) {
        try {
            client.complete(go());
            return false;
        } catch (LlmInterruptedException e) {
            return Thread.currentThread().isInterrupted();
        }
    }
}
