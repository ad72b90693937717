package io.maestro.claude.internal.coder;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeRun;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.mcp.McpCall;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claude Code at work on one state of a story: starts it, reminds it, takes up its session after a stall or a change of the
 * container, and takes note of how it ends. Used by the thread of the story.
 */
final class ClaudeWork implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(ClaudeWork.class);

    /** A turn is ended by the limits of its run; this is only how often one looks. */
    private static final Duration LOOK = Duration.ofMinutes(10);

    /** How often in a visit the CLI is taken up again after it stalled or broke down. */
    private static final int MOST_BREAKDOWNS = 1;

    /**
     * How often in a visit a session may be of no use: never begun by a life that was killed, removed with its volume, or one
     * with which the model refuses to go on.
     */
    private static final int MOST_LOSSES = 1;

    /** How often in a visit the container may be exchanged; each costs a start of the CLI. */
    private static final int MOST_MOVES = 20;

    private final AgentContext task;
    private final EndedSessions endedSessions;
    private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
    private final Watch watch;
    private final Parts parts;
    private final Words words;
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
    ClaudeWork(
            AgentContext task, EndedSessions endedSessions, Function<Parts, Cli> clis, Consumer<ClaudeWork> onClose) {
        this.onClose = onClose;
        this.task = task;
        this.endedSessions = endedSessions;
        this.watch = new Watch(task, happenings::add);
        this.words = new Words(task);
        this.tools = newTools();
        this.parts = new Parts(
                task,
                new CurrentTools(() -> this.tools),
                () -> tools.mayAsk(),
                watch,
                watch::told,
                happenings::add,
                watch::turnsLeft);
        this.cli = clis.apply(parts);
    }

    private CoderTools newTools() {
        CompletableFuture<ClaudeRun> itsRun = new CompletableFuture<>();
        coming = itsRun;
        return new CoderTools(task, happenings::add, itsRun::join);
    }

    @Override
    public String id() {
        return task.agentId();
    }

    @Override
    public String role() {
        return task.role();
    }

    @Override
    public AgentResult run(AgentTask told) {
        news = told.messages();
        watch.visit();
        breakdowns = 0;
        losses = 0;
        reminders = 0;
        moves = 0;
        begin();
        while (true) {
            AgentResult outcome = react(next());
            if (outcome != null) {
                return outcome;
            }
        }
    }

    private void begin() {
        ClaudeRun current = run;
        if (current == null) {
            open();
        } else if (!tools.answer(String.join("\n\n", news))) {
            // The CLI has given up its question; it is told the answer all the same.
            leave();
            open();
        }
    }

    /** Takes up the session of the story, or begins one. */
    private void open() {
        Optional<String> session = task.session();
        if (session.isEmpty()) {
            beginSession(words.first(news));
        } else {
            go(cli.resume(session.get(), told(words.back(news, endedSessions.contains(session.get())))));
        }
    }

    private void beginSession(String message) {
        String session = UUID.randomUUID().toString();
        // Before it is there: a next life takes it up, or finds that it never was.
        task.session(session);
        go(cli.start(session, told(message)));
    }

    private String told(String message) {
        watch.saying(message);
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
        Threads.newWaitingFactory("maestro-claude-" + task.agentId())
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
    private @Nullable AgentResult react(Happening happening) {
        if (happening instanceof Happening.Asked asked) {
            return AgentResult.completed(asked.signal());
        }
        if (happening instanceof Happening.Broken broken) {
            leave();
            throw broken.failure();
        }
        ClaudeResult result = ((Happening.Ended) happening).result();
        if (result.ending() == ClaudeResult.Ending.GATE_BYPASSED) {
            leave();
            throw new MaestroException(result.text());
        }
        Optional<ToolSignal> accepted = tools.accepted();
        if (accepted.isPresent()) {
            leave();
            return AgentResult.completed(accepted.get());
        }
        Optional<McpCall> move = tools.takeMove();
        if (move.isPresent()) {
            return move(move.get());
        }
        return ended(result);
    }

    private @Nullable AgentResult ended(ClaudeResult result) {
        Optional<String> budget = cli.refusedBudget();
        if (budget.isPresent()) {
            leave();
            return AgentResult.overBudget(budget.get());
        }
        switch (result.ending()) {
            case COMPLETED -> {
                return remind();
            }
            case MAX_TURNS -> {
                leave();
                return AgentResult.overBudget("all " + task.limits().turnsPerState() + " turns are used up");
            }
            case MAX_BUDGET -> {
                leave();
                return AgentResult.overBudget(line(result.text()));
            }
            case UNKNOWN_SESSION -> {
                return anew(
                        "the session is not there any more",
                        "Claude Code does not find the session that it has begun itself: " + result.text());
            }
            case REFUSED -> {
                return anew(
                        "the model refuses to go on with the session (" + line(result.text()) + ")",
                        "the model refuses to work on this story, also in a new session; look at the story: "
                                + result.text());
            }
            default -> {
                return brokenDown(result);
            }
        }
    }

    private @Nullable AgentResult remind() {
        Optional<String> spent = parts.spent();
        if (spent.isPresent()) {
            leave();
            return AgentResult.overBudget(spent.get());
        }
        if (++reminders > task.limits().reminders()) {
            leave();
            return AgentResult.stuck("Claude Code ended its turn " + reminders + " times without calling one of "
                    + words.terminal() + "; try another model or a clearer story");
        }
        ClaudeRun current = requireRun();
        String reminder = told(words.reminder());
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

    /**
     * The session is of no use any more, as after its volume was removed: the story begins again, in the workspace as it is.
     *
     * @param why for the record
     * @param stuck why the story cannot go on when this has happened before
     */
    private @Nullable AgentResult anew(String why, String stuck) {
        if (++losses > MOST_LOSSES) {
            leave();
            return AgentResult.stuck(stuck);
        }
        watch.note(
                why + ", and a new one is begun in the place of " + requireRun().sessionId());
        leave();
        beginSession(words.lost(news));
        return null;
    }

    private @Nullable AgentResult brokenDown(ClaudeResult result) {
        String session = requireRun().sessionId();
        leave();
        ApiFailure.of(result, cli.retryAfter()).ifPresent(failure -> {
            throw failure;
        });
        if (++breakdowns > MOST_BREAKDOWNS) {
            return AgentResult.stuck(
                    "Claude Code " + Words.what(result) + ", and has done so once before: " + result.text());
        }
        LOG.warn("{}: Claude Code {}; its session is taken up again", task.agentId(), Words.what(result));
        watch.note("Claude Code " + Words.what(result) + ", and is started again: " + result.text());
        go(cli.resume(session, told(words.brokenDown(result, news))));
        return null;
    }

    /** The CLI has ended, so that its container can be exchanged; then it is told what came of that. */
    private @Nullable AgentResult move(McpCall call) {
        leave();
        if (++moves > MOST_MOVES) {
            return AgentResult.stuck("the container was exchanged " + moves + " times; look at the story");
        }
        AgentContext.Call done = task.call(call.id(), call.tool(), call.input());
        cli.moved();
        String session = task.session().orElseThrow();
        go(cli.resume(session, told(words.moved(call, done.result()))));
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
            // It was never started: who waits for that is told so.
            coming.cancel(false);
            onClose.accept(this);
            cli.close();
        }
    }
}
