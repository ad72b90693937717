package io.maestro.testkit;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A model that plays a script: the same conversation each time, without network and cost. When the conversation leaves
 * the script it throws {@link ScriptViolationException}, and remembers it for {@link #verify()}, in case that the code
 * under test has swallowed it. It also refuses what a real model's service would refuse, for example a call of a tool that
 * was given no result.
 *
 * <pre>{@code
 * ScriptedLlm coder = ScriptedLlm.builder("scripted-coder")
 *         .turn(Reply.toolCall("shell", Map.of("cmd", "ls")))
 *         .turn(Turn.in("PLANNING").expecting("pom.xml").reply(Reply.toolCall("submit_plan", Map.of("plan", "…"))))
 *         .build();
 * // … run the story …
 * coder.assertFinished();
 * }</pre>
 *
 * <p>One model may serve several stories: each has its own script by {@link Builder#story}, chosen by the story that a
 * request belongs to; the builder's own turns serve all stories that have none. Safe for use by several threads; a script
 * that serves several threads at once gives its turns in the order in which they ask.
 */
public final class ScriptedLlm implements LlmClient {
    private final String model;
    private final ScriptPlayer common;
    private final Map<String, ScriptPlayer> byStory = new LinkedHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<LlmRequest> requests = new ArrayList<>();

    private ScriptedLlm(Builder builder) {
        this.model = builder.model;
        this.common = new ScriptPlayer("script '" + model + "'", "toolu_script", builder.common);
        builder.stories.forEach((story, script) -> byStory.put(
                story, new ScriptPlayer("script '" + model + "' of story " + story, "toolu_script_" + story, script)));
    }

    /**
     * Starts a script.
     *
     * @param model the name under which the model shows in records and messages
     * @return a builder
     */
    public static Builder builder(String model) {
        return new Builder(model);
    }

    @Override
    public String model() {
        return model;
    }

    /**
     * Plays the next turn of the script that the request's story has.
     *
     * @throws ScriptViolationException when the request is not what the script expects, or comes after its end
     */
    @Override
    public LlmResponse complete(LlmRequest request) {
        if (Thread.currentThread().isInterrupted()) {
            throw new LlmInterruptedException("interrupted before " + model + " was asked", null);
        }
        ScriptPlayer player = byStory.getOrDefault(request.origin().storyId(), common);
        Reply reply = reply(player, request);
        Optional<RuntimeException> failure = reply.failure();
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (reply.hangs()) {
            throw hang();
        }
        return locked(() ->
                new LlmResponse(model, player.withIds(reply.content(), request), reply.stopReason(), reply.usage()));
    }

    /** Outside of the lock runs only the script's own function: it may block. */
    private Reply reply(ScriptPlayer player, LlmRequest request) {
        Turn turn = locked(() -> {
            requests.add(request);
            return player.next(request);
        });
        try {
            return Objects.requireNonNull(turn.reply().apply(request), "the script's function returned null");
        } catch (RuntimeException | AssertionError e) {
            throw locked(() -> player.leave(request, turn.toString(), "the script's function threw " + e, e));
        }
    }

    private LlmInterruptedException hang() {
        try {
            new CountDownLatch(1).await();
            throw new AssertionError("nobody counts down");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new LlmInterruptedException("interrupted while " + model + " was asked", e);
        }
    }

    /**
     * All requests so far, in the order in which they came, those that left the script included.
     *
     * @return an unmodifiable copy
     */
    public List<LlmRequest> requests() {
        return locked(() -> List.copyOf(requests));
    }

    /**
     * Checks that no conversation has left its script.
     *
     * @throws ScriptViolationException when one has; those of further scripts are suppressed in it
     */
    public void verify() {
        List<ScriptViolationException> violations = locked(
                () -> players().flatMap(player -> player.violation().stream()).toList());
        if (!violations.isEmpty()) {
            // A new one each time: its trace shows who checks, its cause who left the script.
            ScriptViolationException first = violations.get(0);
            ScriptViolationException thrown = new ScriptViolationException(first.getMessage(), first);
            violations.stream().skip(1).forEach(thrown::addSuppressed);
            throw thrown;
        }
    }

    /**
     * Checks that no conversation has left its script, and that all turns were played.
     *
     * @throws ScriptViolationException when it is not so
     */
    public void assertFinished() {
        verify();
        List<String> unplayed = locked(
                () -> players().flatMap(player -> player.unplayed().stream()).toList());
        if (!unplayed.isEmpty()) {
            throw new ScriptViolationException("not played to the end: " + String.join("\n", unplayed), null);
        }
    }

    private Stream<ScriptPlayer> players() {
        return Stream.concat(Stream.of(common), byStory.values().stream());
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** The model's name. */
    @Override
    public String toString() {
        return "ScriptedLlm " + model;
    }

    /** Collects the scripts of a {@link ScriptedLlm}. Not safe for use by several threads. */
    public static final class Builder {
        private final String model;
        private final Script common = new Script();
        private final Map<String, Script> stories = new LinkedHashMap<>();

        private Builder(String model) {
            this.model = Objects.requireNonNull(model, "model");
        }

        /**
         * Adds a turn that takes any request.
         *
         * @param reply what the model replies
         * @return this
         */
        public Builder turn(Reply reply) {
            common.turn(reply);
            return this;
        }

        /**
         * Adds a turn that takes any request, with a reply that is computed from it.
         *
         * @param reply see {@link Turn.Expecting#reply(Function)}
         * @return this
         */
        public Builder turn(Function<LlmRequest, Reply> reply) {
            common.turn(reply);
            return this;
        }

        /**
         * Adds a turn.
         *
         * @param turn what is expected and replied
         * @return this
         */
        public Builder turn(Turn turn) {
            common.turn(turn);
            return this;
        }

        /**
         * Replies the same to any request for ever; after all other turns.
         *
         * @param reply what the model replies
         * @return this
         */
        public Builder repeat(Reply reply) {
            common.repeat(reply);
            return this;
        }

        /**
         * Plays the same turn for ever; after all other turns.
         *
         * @param turn what is expected each time, and replied
         * @return this
         */
        public Builder repeat(Turn turn) {
            common.repeat(turn);
            return this;
        }

        /**
         * Gives a story a script of its own.
         *
         * @param storyId the story's id
         * @param turns adds the turns
         * @return this
         * @throws IllegalArgumentException when the story has one already
         */
        public Builder story(String storyId, Consumer<Script> turns) {
            Script script = new Script();
            turns.accept(script);
            if (stories.putIfAbsent(storyId, script) != null) {
                throw new IllegalArgumentException("story " + storyId + " has two scripts");
            }
            return this;
        }

        /**
         * Makes the model.
         *
         * @return a model at the start of its scripts
         */
        public ScriptedLlm build() {
            return new ScriptedLlm(this);
        }
    }
}
