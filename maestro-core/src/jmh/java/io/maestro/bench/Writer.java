package io.maestro.bench;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.team.internal.PlaceLlm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A coder's model that says what it thinks piece by piece, as models do, and makes 16 calls of tools. */
final class Writer implements LlmClient {
    /** Eight pieces: with a pause of 75 ms a hundred come in a second, which is what a fast model writes. */
    private static final List<String> THOUGHT = List.of(
            "I look at the repository first: which files there are, ",
            "who reads them, and what a change of one of them ",
            "would do to the others. ",
            "The health endpoint goes into a file of its own, ",
            "so that nothing else has to be changed, ",
            "and its test stands beside it. ",
            "Then I run what the project has ",
            "as its tests.");

    private final PlaceLlm script = new PlaceLlm();
    private final Duration pause;

    Writer(Duration thought) {
        pause = thought.dividedBy(THOUGHT.size());
        script.calls("PLANNING", "list_files")
                .calls("PLANNING", "read_file", "path", "src/d1/f1.txt")
                .calls("PLANNING", "search_files", "pattern", "line 4")
                .calls("PLANNING", "submit_plan", "plan", "1. Add `src/health.txt`\n2. Test it");
        for (int i = 0; i < 4; i++) {
            script.calls(
                            "CODING",
                            "write_file",
                            "path",
                            "src/health" + i + ".txt",
                            "content",
                            "health: OK\n".repeat(40))
                    .calls("CODING", "read_file", "path", "src/health" + i + ".txt");
        }
        script.calls("CODING", "shell", "cmd", "ls -lR src")
                .calls("CODING", "shell", "cmd", "grep -rn health src")
                .calls("CODING", "shell", "cmd", "sh check.sh")
                .calls("CODING", "done", "summary", "the endpoint says OK");
    }

    @Override
    public String model() {
        return script.model();
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        return script.complete(request);
    }

    @Override
    public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        long next = System.nanoTime();
        for (String piece : THOUGHT) {
            listener.onText(piece);
            next += pause.toNanos();
            // Against the clock: what a listener needs is not added to it, as it is not to what comes by a network.
            for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
        return script.complete(request);
    }
}
