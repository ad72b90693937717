package io.maestro.team.internal.loop;

import io.maestro.llm.LlmClient;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.tools.AgentTools;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a loop of model and tools works with, in one step of an agent.
 *
 * @param conversation goes on where it was
 * @param tools what the model may call
 * @param signals which ends are accepted, with the texts that belong to each
 * @param model who is asked
 * @param meter what the story has used so far
 * @param bounded whether a budget of the story that is used up stops the loop
 * @param texts what the model is told beside the conversation
 * @param stop why it is to stop
 */
public record LoopInput(
        ModelConversation conversation,
        AgentTools tools,
        Map<String, List<String>> signals,
        LlmClient model,
        Meter meter,
        boolean bounded,
        LoopTexts texts,
        StopSignal stop) {
    /**
     * What a model is told beside its conversation.
     *
     * @param todos what is left to do, as a text that outlasts the compaction of the conversation; may be empty
     * @param news what the model has not read yet of the chat; asked for before each of its turns
     */
    public record LoopTexts(Supplier<String> todos, Supplier<Optional<String>> news) {
        private static final LoopTexts NONE = new LoopTexts(() -> "", Optional::empty);
    }

    /** The input of a loop that any interrupt of its thread stops. */
    public static LoopInput of(
            ModelConversation conversation,
            AgentTools tools,
            Map<String, List<String>> signals,
            LlmClient model,
            Meter meter) {
        return new LoopInput(
                conversation, tools, signals, model, meter, true, LoopTexts.NONE, StopSignal.byInterrupt());
    }

    /** The input for the architect, who must be able to decide on a budget that is used up. */
    public LoopInput onAnyBudget() {
        return new LoopInput(conversation, tools, signals, model, meter, false, texts, stop);
    }

    /** The input of a loop whose todos are kept. */
    LoopInput todos(Supplier<String> text) {
        return new LoopInput(
                conversation, tools, signals, model, meter, bounded, new LoopTexts(text, texts.news()), stop);
    }

    /** The input of a loop whose model reads the chat. */
    public LoopInput news(Supplier<Optional<String>> unread) {
        return new LoopInput(
                conversation, tools, signals, model, meter, bounded, new LoopTexts(texts.todos(), unread), stop);
    }

    /** The input of a loop that an interrupt stops only when the signal has a cause. */
    public LoopInput stop(StopSignal signal) {
        return new LoopInput(conversation, tools, signals, model, meter, bounded, texts, signal);
    }
}
