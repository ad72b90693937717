package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeCode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.ClaudeRun;
import io.maestro.claude.ClaudeStreamParser;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.internal.RunningProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A CLI that runs. A thread of its own keeps the limits, and tidies up when the CLI has ended, so that neither depends on anybody
 * who waits.
 */
public final class CliRun implements ClaudeRun {
    private static final Logger LOG = LoggerFactory.getLogger(CliRun.class);

    /** How often the limits are looked at. */
    private static final Duration TICK = Duration.ofMillis(200);

    private final CliLaunch launch;
    private final ClaudeCode settings;
    private final CliSession session;
    private final StateFiles.Prepared prepared;
    private final CliProcess process;
    private final @Nullable ToolHook hook;
    private final ControlChannel channel;
    private final Watchdog watchdog;
    private final Progress progress;
    private final RunAllowance allowance = new RunAllowance();

    /** Completed when nothing of the run is left. */
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    /** Of the reader alone, as is the next. */
    private boolean begun;

    private boolean listenerFails;

    private CliRun(CliLaunch launch, StateFiles.Prepared prepared, CliProcess process) {
        this.launch = launch;
        this.settings = launch.settings();
        this.session = launch.session();
        this.prepared = prepared;
        this.process = process;
        this.watchdog = new Watchdog(launch.clock(), settings.totalLimit(), settings.inactivityLimit());
        this.hook = settings.toolGate()
                .map(gate -> new ToolHook(gate, watchdog::suspend, watchdog::resume))
                .orElse(null);
        this.channel = new ControlChannel(process.outbox(), launch.mcp(), hook);
        this.progress = new Progress(session.id());
    }

    /**
     * Starts the CLI.
     *
     * @param launch how, and which conversation
     * @param message what the user says
     * @return the run
     * @throws MaestroException when it cannot be started
     */
    public static ClaudeRun start(CliLaunch launch, String message) {
        StateFiles.Prepared prepared = StateFiles.prepare(launch);
        CliProcess process = null;
        try {
            process = CliProcess.start(launch, prepared);
            CliRun run = new CliRun(launch, prepared, process);
            run.begin(message);
            return run;
        } catch (RuntimeException | Error e) {
            if (process != null) {
                process.close();
            }
            StateFiles.remove(launch.settings(), prepared);
            throw e;
        }
    }

    private void begin(String message) {
        ClaudeStreamParser parser = new ClaudeStreamParser(this::handle);
        channel.begin(message);
        process.begin(
                new CliProcess.Output() {
                    @Override
                    public void feed(byte[] bytes, int length) {
                        allowance.printed(length);
                        if (!exceeded()) {
                            parser.feed(bytes, 0, length);
                        }
                    }

                    @Override
                    public void end() {
                        parser.end();
                    }
                },
                this::keep);
    }

    @Override
    public String sessionId() {
        return session.id();
    }

    @Override
    public Optional<ClaudeResult> await(Duration atMost) {
        try {
            return Optional.of(progress.turn().get(RunningProcess.nanos(atMost), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new AssertionError("a turn is never completed with a failure", e);
        }
    }

    @Override
    public void say(String message) {
        progress.nextTurn();
        watchdog.asked();
        channel.say(message);
    }

    @Override
    public void endAfter(String toolUseId) {
        if (progress.isLast(toolUseId)) {
            stop(Ending.ENDED, "");
        }
    }

    @Override
    public Optional<String> mainUse(String id, String tool, Duration atMost) {
        try {
            return progress.mainUse(id, tool, atMost);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void suspendLimits() {
        watchdog.suspend();
    }

    @Override
    public void resumeLimits() {
        watchdog.resume();
    }

    @Override
    public void end() {
        stop(Ending.ENDED, "");
        if (!process.isReader()) {
            finished.join(); // an interrupt does not disturb this
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Asks the CLI to end, once; the keeper sees to it that it does. */
    private void stop(Ending ending, String text) {
        if (progress.stop(ending, text)) {
            channel.endSession();
        }
    }

    /** Kills it: one that is asked to end may run another tool meanwhile. */
    private void bypassed(String fault) {
        if (progress.stop(Ending.GATE_BYPASSED, fault)) {
            process.kill();
        }
    }

    /** Whether it has said too much: then it is ended, and not heard any more. */
    private boolean exceeded() {
        Optional<String> why = allowance.exceeded();
        why.ifPresent(text -> stop(Ending.FAILED, text));
        return why.isPresent();
    }

    private void handle(ClaudeEvent event) {
        allowance.said(event);
        if (exceeded()) {
            return;
        }
        watchdog.heard(event);
        try {
            settings.listener().onEvent(event);
        } catch (RuntimeException | Error e) {
            listenerFailed(e);
        }
        if (event instanceof ClaudeEvent.Init init) {
            checkServer(init);
        } else if (event instanceof ClaudeEvent.Said said) {
            progress.said(said);
        } else if (event instanceof ClaudeEvent.ApiError error) {
            progress.failed(error);
        } else if (event instanceof ClaudeEvent.ToolUse use) {
            if (hook != null) {
                hook.used(use);
            }
            progress.called(use);
        } else if (event instanceof ClaudeEvent.ToolResult result) {
            if (hook != null) {
                hook.answered(result).ifPresent(this::bypassed);
            }
            if (progress.answered(result.toolUseId())) {
                stop(Ending.ENDED, "");
            }
        } else if (event instanceof ClaudeEvent.ControlRequest request) {
            channel.received(request);
        } else if (event instanceof ClaudeEvent.ControlResponse response) {
            channel.received(response).ifPresent(refusal -> stop(Ending.FAILED, refusal));
        } else if (event instanceof ClaudeEvent.Result result) {
            progress.ended(result).ifPresent(ending -> stop(ending, result.text()));
        }
    }

    private void listenerFailed(Throwable e) {
        if (listenerFails) {
            LOG.debug("a listener of session {} fails again", session.id(), e);
        } else {
            LOG.error("a listener of session {} fails; more of this is logged at debug level", session.id(), e);
        }
        listenerFails = true;
    }

    /** Without our tools the model would work on, blindly, and for money. */
    private void checkServer(ClaudeEvent.Init init) {
        String status = init.mcpServers().getOrDefault(McpLink.SERVER, "missing");
        if (!begun && !(launch.mcp() instanceof McpLink.None) && !status.equals("connected")) {
            stop(
                    Ending.FAILED,
                    "the CLI does not reach the MCP server " + launch.mcp() + ", its status is '" + status
                            + "'; choose another way for it");
        }
        begun = true;
    }

    /** From the start until nothing is left. */
    private void keep() {
        Optional<ExecProcess.End> end = Optional.empty();
        try {
            end = awaitEnd();
        } catch (RuntimeException | Error e) {
            LOG.error("the process of session {} cannot be watched or ended", session.id(), e);
        } finally {
            tidyUp();
            progress.over(end, process.errors());
            finished.complete(null);
        }
    }

    private Optional<ExecProcess.End> awaitEnd() {
        long lastHeard = System.nanoTime();
        while (true) {
            Optional<ExecProcess.End> end = process.await(TICK);
            if (end.isPresent()) {
                return end;
            }
            watchdog.verdict().ifPresent(verdict -> stop(verdict.ending(), verdict.reason()));
            lastHeard = process.isHeard() ? System.nanoTime() : lastHeard;
            // It was asked to end, or has closed its output: nothing more can be heard of it.
            long since = progress.stopped().map(Progress.Stop::since).orElse(lastHeard);
            if (System.nanoTime() - since > settings.endLimit().toNanos()) {
                LOG.warn("the CLI of session {} does not end by itself, and is killed", session.id());
                return process.kill();
            }
        }
    }

    private void tidyUp() {
        try {
            process.hearOut();
            channel.close();
            process.close();
        } catch (RuntimeException e) {
            LOG.error("cannot tidy up after session {}", session.id(), e);
        }
        StateFiles.remove(settings, prepared);
    }
}
