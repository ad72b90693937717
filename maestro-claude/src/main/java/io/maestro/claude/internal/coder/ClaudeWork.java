package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeRun;
import io.maestro.coder.CoderTask;
import io.maestro.coder.CoderWork;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.mcp.McpCall;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claude Code at work on one state of a story: starts it, reminds it, takes up its session after a stall or a change of the
 * container, and takes note of how it ends. Used by the thread of the story.
 */
final class ClaudeWork implements CoderWork {
    private static final Logger LOG = LoggerFactory.getLogger(ClaudeWork.class);

    /** A turn is ended by the limits of its run; this is only how often one looks. */
    private static final Duration LOOK = Duration.ofMinutes(10);

    /** How often in a visit the CLI is taken up again after it stalled or broke down. */
    private static final int MOST_BREAKDOWNS = 1;

    /** How often in a visit a session may be gone: never begun by a life that was killed, or removed with its volume. */
    private static final int MOST_LOSSES = 1;

    /** How often in a visit the container may be exchanged; each costs a start of the CLI. */
    private static final int MOST_MOVES = 20;

    private final CoderTask task;
    private final EndedSessions endedSessions;
    private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
    private final Watch watch;
    private final Parts parts;
    private final Cli cli;
    private final Consumer<ClaudeWork> onClose;

    private volatile CoderTools tools;
    /** Completed with the run to come: the CLI may call a tool before its start has returned. */
    private CompletableFuture<ClaudeRun> coming = new CompletableFuture<>();

    private @Nullable ClaudeRun run;
    private List<String> news = List.of();
    private int breakdowns;
    private int losses;
    private int reminders;
    private int moves;

    /**
     * Takes up a task.
     *
     * @param clis makes what starts the CLI, with these tools and this listener
     * @param onClose is told when it is closed
     */
    ClaudeWork(CoderTask task, EndedSessions endedSessions, Function<Parts, Cli> clis, Consumer<ClaudeWork> onClose) {
        this.onClose = onClose;
        this.task = task;
        this.endedSessions = endedSessions;
        this.watch = new Watch(task, happenings::add);
        this.tools = newTools();
        this.parts = new Parts(
                task,
                new CurrentTools(() -> this.tools),
                () -> tools.mayAsk(),
                watch,
                happenings::add,
                watch::turnsLeft);
        this.cli = clis.apply(parts);
    }

    private CoderTools newTools() {
        CompletableFuture<ClaudeRun> itsRun = new CompletableFuture<>();
        coming = itsRun;
        return new CoderTools(task, happenings::add, id -> itsRun.join().endAfter(id));
    }

    @Override
    public Outcome work(List<String> told) {
        news = told;
        watch.visit();
        breakdowns = 0;
        losses = 0;
        reminders = 0;
        moves = 0;
        begin();
        while (true) {
            Outcome outcome = react(next());
            if (outcome != null) {
                return outcome;
            }
        }
    }

    private void begin() {
        ClaudeRun current = run;
        if (current == null) {
            open(greeting());
        } else if (!tools.answer(String.join("\n\n", news))) {
            // The CLI has given up its question; it is told the answer all the same.
            leave();
            open(greeting());
        }
    }

    /** What is said first, by a process that did not live when the session was left. */
    private Greeting greeting() {
        Optional<String> known = task.session();
        List<String> parts = new ArrayList<>();
        if (known.isEmpty()) {
            parts.add(task.assignment());
        } else if (!endedSessions.contains(known.get())) {
            parts.add(task.prompt("claude-restarted", Map.of("terminal", terminal())));
        }
        parts.addAll(news);
        task.unread().ifPresent(parts::add);
        if (parts.isEmpty()) {
            parts.add(task.prompt("claude-restarted", Map.of("terminal", terminal())));
        }
        return new Greeting(known, String.join("\n\n", parts));
    }

    private record Greeting(Optional<String> session, String message) {}

    private void open(Greeting greeting) {
        if (greeting.session().isPresent()) {
            go(cli.resume(greeting.session().get(), told(greeting.message())));
            return;
        }
        String session = UUID.randomUUID().toString();
        // Before it is there: a next life takes it up, or finds that it never was.
        task.session(session);
        go(cli.start(session, told(greeting.message())));
    }

    private String told(String message) {
        watch.told(message);
        return message;
    }

    /** From here on this is the run, and its end is waited for. */
    private void go(ClaudeRun fresh) {
        run = fresh;
        coming.complete(fresh);
        endedSessions.remove(fresh.sessionId());
        follow(fresh);
    }

    private void follow(ClaudeRun followed) {
        Threads.newFactory("maestro-claude-" + task.agentId())
                .newThread(() -> {
                    Optional<ClaudeResult> result = Optional.empty();
                    while (result.isEmpty()) {
                        result = followed.await(LOOK);
                    }
                    happenings.add(new Happening.Ended(followed, result.get()));
                })
                .start();
    }

    private Happening next() {
        while (true) {
            try {
                Happening happening = happenings.take();
                if (!(happening instanceof Happening.Ended ended) || ended.run().equals(run)) {
                    return happening;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                leave();
                return new Happening.Broken(new MaestroException("the work of " + task.agentId() + " was cancelled"));
            }
        }
    }

    /** What follows; null when the visit goes on. */
    private @Nullable Outcome react(Happening happening) {
        if (happening instanceof Happening.Asked asked) {
            return new Outcome.Signalled(asked.signal());
        }
        if (happening instanceof Happening.Broken broken) {
            leave();
            throw broken.failure();
        }
        ClaudeResult result = ((Happening.Ended) happening).result();
        Optional<ToolSignal> accepted = tools.accepted();
        if (accepted.isPresent()) {
            leave();
            return new Outcome.Signalled(accepted.get());
        }
        Optional<McpCall> move = tools.takeMove();
        if (move.isPresent()) {
            return move(move.get());
        }
        return ended(result);
    }

    private @Nullable Outcome ended(ClaudeResult result) {
        Optional<String> budget = cli.refusedBudget();
        if (budget.isPresent()) {
            leave();
            return new Outcome.OverBudget(budget.get());
        }
        switch (result.ending()) {
            case COMPLETED -> {
                return remind();
            }
            case MAX_TURNS -> {
                leave();
                return new Outcome.OverBudget("all " + task.limits().turnsPerState() + " turns are used up");
            }
            case MAX_BUDGET -> {
                leave();
                return new Outcome.OverBudget(line(result.text()));
            }
            case UNKNOWN_SESSION -> {
                return anew(result);
            }
            case SESSION_EXISTS -> {
                // An earlier life was killed after the CLI had begun it.
                String session = requireRun().sessionId();
                leave();
                go(cli.resume(session, told(greeting().message())));
                return null;
            }
            default -> {
                return brokenDown(result);
            }
        }
    }

    private @Nullable Outcome remind() {
        Optional<String> spent = parts.spent();
        if (spent.isPresent()) {
            leave();
            return new Outcome.OverBudget(spent.get());
        }
        if (++reminders > task.limits().reminders()) {
            leave();
            return new Outcome.Stuck("Claude Code ended its turn " + reminders + " times without calling one of "
                    + terminal() + "; try another model or a clearer story");
        }
        ClaudeRun current = requireRun();
        String reminder = told(task.prompt("reminder", Map.of("terminal", terminal())));
        try {
            current.say(reminder);
        } catch (MaestroException e) {
            // It has ended since, by itself or by its limit of time.
            LOG.debug("{}: {}", task.agentId(), e.getMessage());
            leave();
            go(cli.resume(current.sessionId(), reminder));
            return null;
        }
        follow(current);
        return null;
    }

    /** The tools that end a turn, as the model sees them. */
    private String terminal() {
        return task.tools().stream()
                .filter(ToolDefinition::terminal)
                .map(tool -> "`mcp__maestro__" + tool.name() + "`")
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** The session is gone, as after its volume was removed: the story begins again, in the workspace as it is. */
    private @Nullable Outcome anew(ClaudeResult result) {
        if (++losses > MOST_LOSSES) {
            leave();
            return new Outcome.Stuck(
                    "Claude Code does not find the session that it has begun itself: " + result.text());
        }
        watch.note("the session " + requireRun().sessionId() + " is not there any more; a new one is begun");
        leave();
        List<String> parts =
                new ArrayList<>(List.of(task.assignment(), task.prompt("claude-lost", Map.of("terminal", terminal()))));
        parts.addAll(news);
        open(new Greeting(Optional.empty(), String.join("\n\n", parts)));
        return null;
    }

    private @Nullable Outcome brokenDown(ClaudeResult result) {
        String session = requireRun().sessionId();
        leave();
        requireApi(result);
        if (++breakdowns > MOST_BREAKDOWNS) {
            return new Outcome.Stuck("Claude Code " + what(result) + ", and has done so once before: " + result.text());
        }
        LOG.warn("{}: Claude Code {}; its session is taken up again", task.agentId(), what(result));
        watch.note("Claude Code " + what(result) + ", and is started again: " + result.text());
        List<String> parts = new ArrayList<>();
        parts.add(task.prompt("claude-stalled", Map.of("reason", why(result), "terminal", terminal())));
        // It may not have read them.
        parts.addAll(news);
        go(cli.resume(session, told(String.join("\n\n", parts))));
        return null;
    }

    /** What is down for everybody is waited for; what will never work is said. */
    private void requireApi(ClaudeResult result) {
        if (result.ending() != ClaudeResult.Ending.FAILED) {
            return;
        }
        int status = watch.apiStatus(result.text());
        if (status == 401 || status == 403) {
            throw new MaestroException("the API refuses the key of Claude Code (HTTP " + status
                    + "); look at ANTHROPIC_API_KEY: " + result.text());
        }
        if (status == 429 || status >= 500) {
            throw new LlmUnavailableException(
                    "the API does not answer Claude Code (HTTP " + status + "): " + result.text(), null, null);
        }
    }

    private static String what(ClaudeResult result) {
        return switch (result.ending()) {
            case STALLED -> "has stalled";
            case TIMED_OUT -> "has taken too long";
            case FAILED -> "has failed";
            case ENDED -> "was ended";
            default -> "has broken down";
        };
    }

    /** The same for the model. */
    private static String why(ClaudeResult result) {
        return switch (result.ending()) {
            case STALLED -> "nothing was heard of you for too long";
            case TIMED_OUT -> "you had taken longer than a session may take";
            default -> "the program that you run in had broken down";
        };
    }

    /** The CLI has ended, so that its container can be exchanged; then it is told what came of that. */
    private @Nullable Outcome move(McpCall call) {
        leave();
        if (++moves > MOST_MOVES) {
            return new Outcome.Stuck("the container was exchanged " + moves + " times; look at the story");
        }
        CoderTask.Call done = task.call(call.id(), call.tool(), call.input());
        cli.moved();
        String answer = done.result().isError()
                ? "It has failed: " + done.result().text()
                : done.result().text();
        List<String> parts = new ArrayList<>();
        parts.add(task.prompt("claude-moved", Map.of("tool", call.tool(), "answer", answer)));
        task.unread().ifPresent(parts::add);
        String session = task.session().orElseThrow();
        go(cli.resume(session, told(String.join("\n\n", parts))));
        return null;
    }

    /** Ends the CLI; its session stays. */
    private void leave() {
        ClaudeRun current = run;
        if (current == null) {
            return;
        }
        run = null;
        CoderTools ending = tools;
        boolean clean = tools.accepted().isPresent();
        try {
            current.close();
        } finally {
            ending.left();
        }
        if (clean) {
            endedSessions.add(current.sessionId());
        }
        tools = newTools();
    }

    /** Whether a call is held open for an answer. */
    boolean holdsQuestion() {
        return tools.holdsQuestion();
    }

    private ClaudeRun requireRun() {
        ClaudeRun current = run;
        if (current == null) {
            throw new IllegalStateException("Claude Code does not run");
        }
        return current;
    }

    private static String line(String text) {
        return text.lines().findFirst().orElse("");
    }

    @Override
    public void close() {
        try {
            leave();
        } finally {
            onClose.accept(this);
            cli.close();
        }
    }
}
