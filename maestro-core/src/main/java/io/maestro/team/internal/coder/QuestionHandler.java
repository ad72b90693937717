package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.story.CoderState;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.architect.ReplyTimeoutException;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.util.Map;

/** QUESTION: the architect answers, and the coder goes on where it asked. */
public final class QuestionHandler implements StateHandler<CoderState, StoryAttempt> {
    private final Effects effects;

    public QuestionHandler(Effects effects) {
        this.effects = effects;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        String question = run.turns().question();
        Architect.Reply reply;
        try {
            reply = effects.ask(run, Architect.Kind.QUESTION, Map.of(Architect.Request.QUESTION, question));
        } catch (ReplyTimeoutException e) {
            run.guidance()
                    .tell("You asked: " + question + "\n\nThere is no answer: " + e.getMessage()
                            + ". Decide by yourself what is most sensible, and say so in your summary.");
            return new Next<>(run.origin(), "not answered in time");
        }
        if (reply.decision() == Architect.Decision.REJECTED) {
            throw new RejectedException(
                    "the architect rejected the story when asked '" + question + "': " + reply.message());
        }
        run.guidance().tell("You asked: " + question + "\n\nThe architect answers:\n\n" + reply.message());
        return new Next<>(run.origin(), "answered");
    }
}
