package io.maestro.builtin.internal.jobs;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.Executor;
import io.maestro.internal.Texts;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the shell of one agent runs in the background: the tool {@code shell} starts it, {@code shell_job} asks for it, and whichever
 * of them is closed first ends it. Safe for use by several threads.
 */
public final class ShellJobs implements AutoCloseable {
    /** How many may run at a time. */
    public static final int MOST_RUNNING = 8;

    /** How many are known, those that have ended too. */
    public static final int MOST_KNOWN = 24;

    /** Where to find those of an agent. */
    public static final class ByContext {
        private final Map<ToolContext, ShellJobs> all = Collections.synchronizedMap(new WeakHashMap<>());

        /**
         * Those of an agent.
         *
         * @param context the agent's
         */
        public ShellJobs of(ToolContext context) {
            return all.computeIfAbsent(context, agent -> new ShellJobs());
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ShellJob> jobs = new LinkedHashMap<>();
    private int last;
    private boolean closed;

    /**
     * Starts a command line.
     *
     * @param executor where
     * @param request what; all its output goes to one stream
     * @param commandLine as it is shown
     * @param limit when it is ended
     * @return what to tell the agent
     * @throws io.maestro.exec.ExecException when it cannot be started
     */
    public ToolResult start(Executor executor, ExecRequest.Builder request, String commandLine, Duration limit) {
        lock.lock();
        try {
            if (closed) {
                return ToolResult.error("nothing is started any more: the agent has ended");
            }
            List<ShellJob> running =
                    jobs.values().stream().filter(ShellJob::isRunning).toList();
            if (running.size() >= MOST_RUNNING) {
                return ToolResult.error("not started: " + MOST_RUNNING + " commands run in the background already, "
                        + running.stream().map(ShellJob::id).collect(Collectors.joining(", "))
                        + "; end one by shell_job with cancel");
            }
            while (jobs.size() >= MOST_KNOWN) {
                jobs.values().stream()
                        .filter(job -> !job.isRunning())
                        .findFirst()
                        .ifPresent(job -> jobs.remove(job.id()));
            }
            ShellJob job = new ShellJob("job-" + ++last, commandLine, limit, executor.start(request.build()));
            jobs.put(job.id(), job);
            return ToolResult.ok(job.id() + " runs, for " + Texts.seconds(limit)
                    + " at most; shell_job with this id says how it is and what it prints");
        } finally {
            lock.unlock();
        }
    }

    /**
     * One of them; null where there is none of that name.
     *
     * @param id its id
     */
    public @Nullable ShellJob find(String id) {
        lock.lock();
        try {
            return jobs.get(id);
        } finally {
            lock.unlock();
        }
    }

    /** A line for each. */
    public List<String> lines() {
        lock.lock();
        try {
            return jobs.values().stream().map(ShellJob::line).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<ShellJob> left;
        lock.lock();
        try {
            closed = true;
            left = new ArrayList<>(jobs.values());
        } finally {
            lock.unlock();
        }
        left.stream().filter(ShellJob::isRunning).forEach(ShellJob::cancel);
    }
}
