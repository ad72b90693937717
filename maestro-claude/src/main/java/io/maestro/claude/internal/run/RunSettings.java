package io.maestro.claude.internal.run;

import io.maestro.claude.ApiAccess;
import io.maestro.claude.ClaudeListener;
import io.maestro.claude.ClaudeToolGate;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/**
 * How to run the CLI. Immutable; what each setting means, the builder of {@link io.maestro.claude.ClaudeCode} says.
 *
 * @param executor where the CLI runs
 * @param program its name or path there
 * @param model the model
 * @param user as whom it runs
 * @param workingDirectory where it works
 * @param stateDirectory where it keeps its sessions
 * @param home its home directory
 * @param systemPrompt what is added to its own system prompt
 * @param builtInTools its own tools that it may use; empty for all
 * @param disallowedTools what it may not use
 * @param gate decides on uses of its own tools; empty when all may run
 * @param mcp how it gets at our tools
 * @param api how it gets at the API
 * @param maxTurns the limit of turns
 * @param maxBudget the limit of US dollars
 * @param totalLimit how long a run may take
 * @param inactivityLimit how long nothing may come
 * @param grace how long it may take to end when it is asked to
 * @param environment further variables
 * @param listener hears all that it says
 * @param clock nanoseconds, for the limits of time
 */
public record RunSettings(
        Executor executor,
        String program,
        Optional<String> model,
        Optional<String> user,
        Optional<String> workingDirectory,
        Optional<String> stateDirectory,
        Optional<String> home,
        Optional<String> systemPrompt,
        Optional<List<String>> builtInTools,
        List<String> disallowedTools,
        Optional<ClaudeToolGate> gate,
        McpLink mcp,
        Optional<ApiAccess> api,
        OptionalInt maxTurns,
        Optional<BigDecimal> maxBudget,
        Duration totalLimit,
        Duration inactivityLimit,
        Duration grace,
        Map<String, String> environment,
        ClaudeListener listener,
        LongSupplier clock) {
    /** Whether it runs on this machine, whose owner's settings it may obey. */
    boolean isLocal() {
        return executor instanceof LocalExecutor;
    }

    /** Without the environment, which may hold secrets. */
    @Override
    public String toString() {
        return program + model.map(name -> " with " + name).orElse("") + " by " + executor;
    }
}
