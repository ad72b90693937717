package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeCode;
import io.maestro.exec.local.LocalExecutor;
import java.util.function.LongSupplier;

/**
 * A run that is to be started.
 *
 * @param settings how the CLI is run
 * @param session which conversation
 * @param mcp how the CLI gets at our tools
 * @param clock nanoseconds, for the limits of time
 */
public record CliLaunch(ClaudeCode settings, CliSession session, McpLink mcp, LongSupplier clock) {
    /** Whether it runs on this machine, whose owner's settings it may obey. */
    boolean isLocal() {
        return settings.executor() instanceof LocalExecutor;
    }
}
