package io.maestro.replay.internal;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers what the coder's model has answered, state by state; after some answers, another model may go on. */
public final class RecordedLlm implements LlmClient {
    private final Recording recording;
    private final RecordedTarget target;
    private final int most;
    private final @Nullable LlmClient next;
    private final String hint;
    private final Map<String, AtomicInteger> given = new ConcurrentHashMap<>();
    private final AtomicInteger all = new AtomicInteger();

    /**
     * Answers.
     *
     * @param target moves on before each answer
     * @param most how many answers come from the record at most
     * @param next who answers after them; null for nobody
     * @param hint what that one is told besides; may be empty
     */
    public RecordedLlm(Recording recording, RecordedTarget target, int most, @Nullable LlmClient next, String hint) {
        this.recording = recording;
        this.target = target;
        this.most = most;
        this.next = next;
        this.hint = hint;
    }

    @Override
    public String model() {
        return next == null ? "recorded" : next.model();
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        return complete(request, LlmStreamListener.NONE);
    }

    @Override
    public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        target.moveOn();
        LlmResponse recorded = next(request.origin().state());
        if (recorded != null) {
            return recorded;
        }
        target.fork();
        return Objects.requireNonNull(next).complete(hinted(request), listener);
    }

    private LlmRequest hinted(LlmRequest request) {
        return hint.isEmpty()
                ? request
                : new LlmRequest(
                        request.origin(),
                        request.system() + "\n\n" + hint,
                        request.messages(),
                        request.tools(),
                        request.maxTokens(),
                        request.temperature());
    }

    private @Nullable LlmResponse next(String state) {
        List<LlmResponse> answers = recording.answers(state);
        int number = given.computeIfAbsent(state, unseen -> new AtomicInteger()).incrementAndGet();
        if (number <= answers.size() && all.getAndIncrement() < most) {
            return answers.get(number - 1);
        }
        if (next == null) {
            throw new LlmException(
                    "the replay asks for answer " + number + " in " + state + ", and the record has " + answers.size()
                            + ": it has taken another way than the recorded run",
                    null);
        }
        return null;
    }
}
