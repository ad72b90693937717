package io.maestro.builtin.internal;

import io.maestro.builtin.internal.jobs.ShellJob;
import io.maestro.builtin.internal.jobs.ShellJobs;
import io.maestro.exec.ExecException;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code shell_job}: how a command is that {@code shell} runs in the background, and what it prints. */
final class ShellJobTool implements ToolFactory {
    private static final int MOST_SECONDS = 600;

    private final ShellJobs.ByContext jobs;

    ShellJobTool(ShellJobs.ByContext jobs) {
        this.jobs = jobs;
    }

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("shell_job")
                .description("Says how a command is that shell runs in the background and what it has printed since you"
                        + " last asked, or ends it; without an id it lists all")
                .input(schema -> schema.optionalString("id", "Which one, for example: job-1")
                        .optionalBoolean("cancel", "Ends it, with all that it has started")
                        .optional(
                                "wait_seconds",
                                Property.integer("Waits for its end so many seconds at most; default 0")
                                        .between(0, MOST_SECONDS))
                        .optional(
                                "offset",
                                Property.integer(
                                                "From which byte of its output; default: where the last answer ended. The"
                                                        + " last " + ShellJob.OUTPUT_LIMIT + " bytes are kept")
                                        .between(0, Long.MAX_VALUE)))
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .timeLimit(Duration.ofSeconds(MOST_SECONDS + 30))
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ShellJobs own = jobs.of(context);
        Redactor redactor = context.service(Redactor.class).orElse(same -> same);
        return new Tool() {
            @Override
            public ToolResult execute(ToolCall call) {
                return answer(own, call, redactor);
            }

            @Override
            public void close() {
                own.close();
            }
        };
    }

    private static ToolResult answer(ShellJobs jobs, ToolCall call, Redactor redactor) {
        Optional<String> id = call.arguments().optionalString("id");
        List<String> all = jobs.lines();
        String list = all.isEmpty() ? "nothing was started in the background" : String.join("\n", all);
        if (id.isEmpty()) {
            return ToolResult.ok(list);
        }
        ShellJob job = jobs.find(id.get());
        if (job == null) {
            return ToolResult.error("there is no '" + id.get() + "' (any more):\n" + list);
        }
        try {
            if (call.arguments().bool("cancel", false)) {
                job.cancel();
                if (job.isRunning()) {
                    return ToolResult.error(job.line() + "\nIt could not be ended; try again");
                }
            } else {
                job.await(call.commandLimit(Duration.ofSeconds(
                        call.arguments().optionalInteger("wait_seconds").orElse(0))));
            }
        } catch (ExecException e) {
            return ToolResult.error(e.getMessage());
        }
        OptionalLong offset = call.arguments().optionalInteger("offset");
        ShellJob.JobReport report = job.report(offset.isPresent() ? offset.getAsLong() : null, ShellTool.OUTPUT_LIMIT);
        String output = ShownText.part(report.before(), report.output(), report.after(), redactor);
        ToolResult.Builder result = ToolResult.builder(report.text() + ShellTool.shown(output));
        report.exitCode().ifPresent(result::exitCode);
        return report.failed() ? result.error().build() : result.build();
    }
}
