package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.ClaudeRun;
import io.maestro.claude.ClaudeStreamParser;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.exec.internal.RunningProcess;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A CLI that runs. One thread reads what it says, one its errors, one writes, and one keeps the limits and tidies up when the CLI
 * has ended, so that neither depends on anybody who waits.
 */
public final class CliRun implements ClaudeRun {
    private static final Logger LOG = LoggerFactory.getLogger(CliRun.class);

    /** How often the limits are looked at. */
    private static final Duration TICK = Duration.ofMillis(200);

    /** How long the last words of a process that has ended may take, and a kill. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(15);

    /** The executor's own limit is the second net. */
    private static final Duration SLACK = Duration.ofMinutes(2);

    private static final int STDERR_LIMIT = 1 << 13;

    private final RunSettings settings;
    private final Session session;
    private final StateFiles.Prepared prepared;
    private final ExecProcess process;
    private final Outbox outbox;
    private final ControlChannel channel;
    private final Watchdog watchdog;
    private final BoundedOutput stderr = new BoundedOutput(STDERR_LIMIT);
    private final ThreadFactory threads;
    private final Thread reader;
    private final Thread errorReader;

    /** Completed when nothing of the run is left. */
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Of the current turn; under the lock, as are the following. */
    private CompletableFuture<ClaudeResult> turn = new CompletableFuture<>();

    private final Set<String> answeredTools = new HashSet<>();
    private final Set<String> lastTools = new HashSet<>();

    /** Why the process is to end; null while it is not. */
    private @Nullable Stop stop;

    private ClaudeEvent.@Nullable Result lastResult;
    private String lastText = "";
    private boolean begun;

    /** Of the reader alone. */
    private boolean listenerFails;

    /** When the output has ended, in nanoseconds of {@link System#nanoTime}; of the keeper alone. */
    private long silentSince = System.nanoTime();

    /**
     * Why a process is to end.
     *
     * @param since nanoseconds of {@link System#nanoTime}
     */
    private record Stop(Ending ending, String text, long since) {}

    private CliRun(RunSettings settings, Session session, StateFiles.Prepared prepared, ExecProcess process) {
        this.settings = settings;
        this.session = session;
        this.prepared = prepared;
        this.process = process;
        this.outbox = new Outbox(process.stdin());
        this.channel = new ControlChannel(outbox, settings.mcp());
        this.watchdog = new Watchdog(settings.clock(), settings.totalLimit(), settings.inactivityLimit());
        this.threads = Threads.platformFactory("maestro-claude-" + session.id());
        this.reader = threads.newThread(this::read);
        this.errorReader = threads.newThread(this::readErrors);
    }

    /**
     * Starts the CLI.
     *
     * @param settings how
     * @param session which conversation
     * @param message what the user says
     * @return the run
     * @throws MaestroException when it cannot be started
     */
    public static ClaudeRun start(RunSettings settings, Session session, String message) {
        StateFiles.Prepared prepared = StateFiles.prepare(settings, session);
        ExecProcess process;
        try {
            ExecRequest.Builder request = ExecRequest.command(CommandLine.arguments(settings, session, prepared))
                    .timeLimit(settings.totalLimit().plus(SLACK));
            CommandLine.environment(settings, prepared).forEach(request::environment);
            settings.workingDirectory().ifPresent(request::workingDirectory);
            settings.user().ifPresent(request::user);
            process = settings.executor().start(request.build());
        } catch (RuntimeException e) {
            StateFiles.remove(settings, prepared);
            throw e;
        }
        CliRun run;
        try {
            run = new CliRun(settings, session, prepared, process);
        } catch (RuntimeException e) {
            process.close();
            StateFiles.remove(settings, prepared);
            throw e;
        }
        run.begin(message);
        return run;
    }

    private void begin(String message) {
        threads.newThread(outbox).start();
        reader.start();
        errorReader.start();
        channel.begin(message);
        threads.newThread(this::keep).start();
    }

    @Override
    public String sessionId() {
        return session.id();
    }

    @Override
    public Optional<ClaudeResult> await(Duration atMost) {
        CompletableFuture<ClaudeResult> current;
        lock.lock();
        try {
            current = turn;
        } finally {
            lock.unlock();
        }
        try {
            return Optional.of(current.get(RunningProcess.nanos(atMost), TimeUnit.NANOSECONDS));
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
        lock.lock();
        try {
            if (!turn.isDone()) {
                throw new MaestroException(
                        "session " + session.id() + " is in the middle of a turn; await its end first");
            }
            if (stop != null || !process.isAlive() || turn.join().ending() != Ending.COMPLETED) {
                throw new MaestroException("the CLI with session " + session.id() + " has ended; resume the session");
            }
            turn = new CompletableFuture<>();
            watchdog.asked();
        } finally {
            lock.unlock();
        }
        channel.say(message);
    }

    @Override
    public void endAfter(String toolUseId) {
        boolean now;
        lock.lock();
        try {
            now = answeredTools.contains(toolUseId);
            lastTools.add(toolUseId);
        } finally {
            lock.unlock();
        }
        if (now) {
            stop(Ending.ENDED, "");
        }
    }

    @Override
    public void end() {
        stop(Ending.ENDED, "");
        if (Thread.currentThread() != reader) {
            finished.join(); // not disturbed by an interrupt
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Asks the CLI to end, once; the keeper sees to it that it does. */
    private void stop(Ending ending, String text) {
        lock.lock();
        try {
            if (stop != null) {
                return;
            }
            stop = new Stop(ending, text, System.nanoTime());
        } finally {
            lock.unlock();
        }
        channel.endSession();
    }

    private void read() {
        ClaudeStreamParser parser = new ClaudeStreamParser(this::handle);
        byte[] chunk = new byte[1 << 16];
        try (InputStream stdout = process.stdout()) {
            for (int n = stdout.read(chunk); n >= 0; n = stdout.read(chunk)) {
                parser.feed(chunk, 0, n);
            }
            parser.end();
        } catch (IOException e) {
            LOG.debug("the output of session {} breaks off: {}", session.id(), e.toString());
        } catch (RuntimeException | Error e) {
            LOG.error("cannot read what session {} says", session.id(), e);
            stop(Ending.FAILED, "cannot read what the CLI says: " + e);
        }
    }

    private void handle(ClaudeEvent event) {
        watchdog.heard(event);
        try {
            settings.listener().onEvent(event);
        } catch (RuntimeException | Error e) {
            listenerFailed(e);
        }
        if (event instanceof ClaudeEvent.Init init) {
            checkServer(init);
        } else if (event instanceof ClaudeEvent.Said said) {
            heard(said);
        } else if (event instanceof ClaudeEvent.ToolResult result) {
            answered(result.toolUseId());
        } else if (event instanceof ClaudeEvent.ControlRequest request) {
            channel.received(request);
        } else if (event instanceof ClaudeEvent.ControlResponse response) {
            channel.received(response).ifPresent(refusal -> stop(Ending.FAILED, refusal));
        } else if (event instanceof ClaudeEvent.Result result) {
            ended(result);
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
        boolean first;
        lock.lock();
        try {
            first = !begun;
            begun = true;
        } finally {
            lock.unlock();
        }
        String status = init.mcpServers().getOrDefault(McpLink.SERVER, "missing");
        if (first && !(settings.mcp() instanceof McpLink.None) && !status.equals("connected")) {
            stop(
                    Ending.FAILED,
                    "the CLI does not reach the MCP server (" + settings.mcp() + "), its status is '" + status
                            + "'; choose another way for it");
        }
    }

    private void heard(ClaudeEvent.Said said) {
        String text = said.parent().isEmpty() ? Turn.text(said) : "";
        if (!text.isEmpty()) {
            lock.lock();
            try {
                lastText = text;
            } finally {
                lock.unlock();
            }
        }
    }

    private void answered(String toolUseId) {
        boolean last;
        lock.lock();
        try {
            answeredTools.add(toolUseId);
            last = lastTools.contains(toolUseId);
        } finally {
            lock.unlock();
        }
        if (last) {
            stop(Ending.ENDED, "");
        }
    }

    private void ended(ClaudeEvent.Result result) {
        Ending ending = Turn.ending(result);
        lock.lock();
        try {
            lastResult = result;
            if (stop != null) {
                return; // what is said after that is of no interest
            }
            if (ending == Ending.COMPLETED) {
                turn.complete(result(ending, result.text(), OptionalInt.empty()));
                return;
            }
        } finally {
            lock.unlock();
        }
        stop(ending, result.text());
    }

    private ClaudeResult result(Ending ending, String text, OptionalInt exitCode) {
        ClaudeEvent.Result last = lastResult;
        return last == null
                ? new ClaudeResult(ending, text, 0, BigDecimal.ZERO, exitCode)
                : new ClaudeResult(ending, text, last.turns(), last.cost(), exitCode);
    }

    private void readErrors() {
        byte[] chunk = new byte[1 << 12];
        try (InputStream in = process.stderr()) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                stderr.write(chunk, n);
            }
        } catch (IOException e) {
            LOG.debug("the errors of session {} break off: {}", session.id(), e.toString());
        }
    }

    /** From the start until nothing is left. */
    private void keep() {
        Optional<ExecProcess.End> end = Optional.empty();
        try {
            end = awaitEnd();
        } catch (RuntimeException | Error e) {
            LOG.error("the process of session {} cannot be watched", session.id(), e);
        } finally {
            tidyUp();
            complete(end);
            finished.complete(null);
        }
    }

    private Optional<ExecProcess.End> awaitEnd() {
        while (true) {
            Optional<ExecProcess.End> end = process.await(TICK);
            if (end.isPresent()) {
                return end;
            }
            watchdog.verdict().ifPresent(verdict -> stop(verdict.ending(), verdict.reason()));
            Stop asked = stopped();
            if (asked != null
                    && System.nanoTime() - asked.since() > settings.grace().toNanos()) {
                LOG.warn("session {} does not end by itself, and is killed", session.id());
                process.kill();
                return process.await(LAST_WORDS);
            }
        }
    }

    /** Whether it should have ended by now: it was asked to, or has closed its output, so that nothing more can be heard of it. */
    private boolean isOverdue() {
        long now = System.nanoTime();
        if (reader.isAlive()) {
            silentSince = now;
        }
        Stop asked = stopped();
        long since = asked == null ? silentSince : asked.since();
        return now - since > settings.grace().toNanos();
    }

    private void tidyUp() {
        try {
            join(reader);
            join(errorReader);
            channel.close();
            outbox.close();
            process.close();
        } catch (RuntimeException e) {
            LOG.error("cannot tidy up after session {}", session.id(), e);
        }
        StateFiles.remove(settings, prepared);
    }

    private static void join(Thread thread) {
        try {
            thread.join(LAST_WORDS.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }

    private @Nullable Stop stopped() {
        lock.lock();
        try {
            return stop;
        } finally {
            lock.unlock();
        }
    }

    private void complete(Optional<ExecProcess.End> end) {
        String errors = stderr.snapshot().text().strip();
        OptionalInt exitCode = end.map(ExecProcess.End::exitCode).orElse(OptionalInt.empty());
        lock.lock();
        try {
            Stop asked = stop;
            stop = asked == null ? new Stop(Ending.CRASHED, "", 0) : asked; // nothing can be said any more
            if (asked != null && asked.ending() == Ending.ENDED) {
                turn.complete(result(Ending.ENDED, lastText, exitCode));
            } else if (asked != null) {
                turn.complete(result(asked.ending(), asked.text() + appended(errors), exitCode));
            } else {
                boolean late = end.map(ExecProcess.End::ending).orElse(null) == ExecResult.Ending.TIMED_OUT;
                Ending ending = late ? Ending.TIMED_OUT : Turn.endingWithoutResult(errors);
                String what = exitCode.isPresent() ? "ended with exit code " + exitCode.getAsInt() : "was killed";
                turn.complete(result(ending, "the CLI " + what + " and without a result" + appended(errors), exitCode));
            }
        } finally {
            lock.unlock();
        }
    }

    private static String appended(String errors) {
        return errors.isEmpty() ? "" : "; it has printed: " + errors;
    }
}
