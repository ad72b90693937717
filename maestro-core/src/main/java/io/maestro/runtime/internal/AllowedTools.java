package io.maestro.runtime.internal;

import io.maestro.internal.Names;
import io.maestro.internal.Texts;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.secrets.Redactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The allowed part of a registry, with one instance of each tool that was used. Safe for use by several threads. */
public final class AllowedTools implements AgentTools {
    private static final Logger LOG = LoggerFactory.getLogger(AllowedTools.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final ToolContext context;
    private final Redactor redactor;
    private final SortedMap<String, Slot> slots = new TreeMap<>();
    private final List<ToolDefinition> definitions;
    private volatile boolean closed;

    /**
     * Creates the tools of one agent in one state; makes none yet.
     *
     * @param context what the tools may use
     * @param allowed the tools that it offers
     * @param redactor takes secrets out of what is logged
     */
    public AllowedTools(ToolContext context, Collection<RegisteredTool> allowed, Redactor redactor) {
        this.context = context;
        this.redactor = redactor;
        allowed.forEach(tool -> slots.put(tool.name(), new Slot(tool)));
        this.definitions = slots.values().stream()
                .map(slot -> slot.registered.definition())
                .toList();
    }

    @Override
    public List<ToolDefinition> list() {
        return definitions;
    }

    @Override
    public Tool get(String name) {
        Slot slot = slots.get(name);
        if (slot == null) {
            throw new ToolException(Names.unknownTool(name, slots.keySet()), null);
        }
        return slot.get();
    }

    @Override
    public String documentation() {
        return ToolDocumentation.of(definitions);
    }

    /** Closes all at the same time, so that one that hangs keeps no other waiting; it is left behind after a while. */
    @Override
    public void close() {
        closed = true;
        List<Slot> made = slots.values().stream()
                .filter(slot -> slot.instance.get() != null)
                .toList();
        if (made.isEmpty()) {
            return;
        }
        ExecutorService threads = Threads.newExecutor("maestro-tool-close");
        try {
            List<Future<?>> closing = new ArrayList<>();
            made.forEach(slot -> closing.add(threads.submit(slot::close)));
            long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
            for (int i = 0; i < made.size(); i++) {
                if (!Uninterrupted.isEnded(closing.get(i), Duration.ofNanos(deadline - System.nanoTime()))) {
                    LOG.warn("the tool {} did not close within {}", made.get(i), Texts.seconds(CLOSE_LIMIT));
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** One tool; a lock of its own, so that a factory that hangs holds up no other tool. */
    private final class Slot {
        private final RegisteredTool registered;
        private final ReentrantLock lock = new ReentrantLock();
        private final AtomicReference<@Nullable Tool> instance = new AtomicReference<>();

        Slot(RegisteredTool registered) {
            this.registered = registered;
        }

        Tool get() {
            requireOpen();
            Tool known = instance.get();
            if (known != null) {
                return known;
            }
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw failure("interrupted while another call was creating it", e);
            }
            try {
                Tool made = instance.get();
                if (made == null) {
                    made = create();
                    instance.set(made);
                    if (closed) {
                        // Whoever closes may have looked before this was here.
                        close();
                    }
                }
                requireOpen();
                return made;
            } finally {
                lock.unlock();
            }
        }

        private void requireOpen() {
            if (closed) {
                throw new ToolException("tool '" + registered.name() + "' is closed: its agent has ended");
            }
        }

        void close() {
            Tool made = instance.getAndSet(null);
            if (made == null) {
                return;
            }
            try {
                made.close();
            } catch (Throwable e) { // foreign code, as when it is called
                LOG.warn("the tool {} could not be closed: {}", this, redactor.redact(Texts.describe(e)));
            }
        }

        @Override
        public String toString() {
            return registered.name() + " of " + registered.origin();
        }

        /** A failure is not remembered: what the factory needs may be there at the next call. */
        private Tool create() {
            Tool made;
            try {
                made = registered.factory().create(context);
            } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
                throw failure("its factory failed: " + Texts.describe(e), e);
            }
            if (made == null) {
                throw failure("its factory returned null", null);
            }
            return made;
        }

        private ToolException failure(String reason, @Nullable Throwable cause) {
            return new ToolException(
                    "tool '" + registered.name() + "' (" + registered.origin() + ") could not be created: " + reason,
                    cause);
        }
    }
}
