package io.maestro.builtin.internal;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs a command for a tool of the host's, with the limits of {@code shell}. */
public final class CommandRun {
    private CommandRun() {}

    /**
     * Runs a command.
     *
     * @param executor where
     * @param command the program and its arguments
     * @param limit after which it is killed
     * @return output and exit code; an error unless it is 0
     */
    public static ToolResult run(Executor executor, List<String> command, Duration limit) {
        Optional<String> mark = ShownText.newMark(String.join("\n", command), "");
        if (mark.isPresent()) {
            return ToolResult.error(ShownText.refusal(mark.get()));
        }
        try {
            ExecResult result = executor.run(ExecRequest.command(command)
                    .timeLimit(limit)
                    .outputLimit(ShellTool.OUTPUT_LIMIT)
                    .build());
            ToolResult answer = ShellTool.CommandResults.toToolResult(result, limit);
            if (result.succeeded() || answer.isError()) {
                return answer;
            }
            ToolResult.Builder failed = ToolResult.builder(answer.text()).error();
            answer.exitCode().ifPresent(failed::exitCode);
            return failed.build();
        } catch (ExecException e) {
            return ToolResult.error(e.getMessage());
        }
    }
}
