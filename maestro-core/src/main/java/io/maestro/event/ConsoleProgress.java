package io.maestro.event;

import io.maestro.llm.PriceTable;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.io.Console;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Shows a person what agents do: one line for each change of a state, each call of a tool and each decision. On a terminal, a
 * live last line shows a spinner, the states of the stories, the call that runs, its time, the result of the last tests, tokens
 * and cost. Without a terminal there are only the plain lines.
 *
 * <pre>{@code
 * try (ConsoleProgress progress = ConsoleProgress.builder(System.out).build();
 *         Maestro maestro = Maestro.builder()....listener(progress).build()) {
 *     maestro.run(story);
 * }
 * }</pre>
 *
 * <p>Control characters and terminal sequences in texts of models and tools are removed. Cost is an estimate: what answered
 * calls cost by the {@linkplain Builder#prices price table}. Safe for use by several threads.
 */
public final class ConsoleProgress implements MaestroListener, AutoCloseable {
    private static final long REFRESH_MILLIS = 200;

    private final ReentrantLock lock = new ReentrantLock();
    private final PrintStream out;
    private final boolean terminal;
    private final int width;
    private final Clock clock;
    private final PriceTable prices;
    private final Instant start;
    private final Map<String, ConsoleStory> stories = new LinkedHashMap<>();
    private final @Nullable ScheduledExecutorService ticker;
    private boolean drawn;
    private boolean closed;
    private int frame;

    private ConsoleProgress(Builder builder) {
        this.out = builder.out;
        this.terminal = builder.terminal;
        this.width = builder.width;
        this.clock = builder.clock;
        this.prices = builder.prices;
        this.start = clock.instant();
        this.ticker = terminal && builder.ticking ? ticker() : null;
    }

    private ScheduledExecutorService ticker() {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "maestro-progress");
            thread.setDaemon(true);
            return thread;
        });
        // What it could report is a failure of draw, which has none: a PrintStream throws nothing.
        Future<?> unused =
                executor.scheduleAtFixedRate(this::draw, REFRESH_MILLIS, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
        return executor;
    }

    /**
     * Starts with a terminal if the JVM has one, the system's clock and the list prices.
     *
     * @param out where lines are printed, for example {@link System#out}; it is never closed
     * @return a builder
     */
    public static Builder builder(PrintStream out) {
        return new Builder(out);
    }

    /**
     * Whether the JVM's input and output are a terminal that understands control sequences.
     *
     * @return false when either is a pipe or a file, or when the environment variable TERM is {@code dumb}
     */
    public static boolean isTerminal() {
        if (System.console() == null || "dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try {
            // From JDK 22 on there is a console without a terminal, too; the method that tells came with it.
            return (boolean) Console.class.getMethod("isTerminal").invoke(System.console());
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    @Override
    public void onEvent(MaestroEvent event) {
        lock.lock();
        try {
            if (!closed) {
                show(event);
            }
        } finally {
            lock.unlock();
        }
    }

    private void show(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged changed) {
            ConsoleStory story = story(changed);
            story.state(changed.to().name());
            if (changed.tests() != null) {
                story.tests(changed.tests());
            }
            boolean ended = changed.to().isFinal();
            if (changed.from() == CoderState.WAITING) {
                line(changed.storyId(), String.format(Locale.ROOT, "%-14s", changed.from()));
            }
            boolean resumes = changed.from() == CoderState.SUSPEND && !ended;
            if (story.isWorthALine(resumes, changed.to() == CoderState.SUSPEND, clock.instant())) {
                line(changed.storyId(), String.format(Locale.ROOT, "%-14s %s", changed.to(), changed.reason()));
            }
            if (ended) {
                line(changed.storyId(), "  " + story.totals(clock.instant()));
                stories.remove(changed.storyId());
            }
        } else if (event instanceof MaestroEvent.SpecStateChanged changed) {
            ConsoleStory spec = story(changed);
            spec.state(changed.to().name());
            boolean ended = changed.to().isFinal();
            boolean resumes = changed.from() == ArchitectState.SUSPEND && !ended;
            if (spec.isWorthALine(resumes, changed.to() == ArchitectState.SUSPEND, clock.instant())) {
                line(
                        changed.specId(),
                        String.format(Locale.ROOT, "%-14s specification: %s", changed.to(), changed.reason()));
            }
            if (ended) {
                stories.remove(changed.specId());
            }
        } else if (event instanceof MaestroEvent.ToolStarted started) {
            story(started).started(started, clock.instant());
        } else if (event instanceof MaestroEvent.ToolProgressed progressed) {
            story(progressed).progressed(progressed);
        } else if (event instanceof MaestroEvent.ToolFinished finished) {
            call(finished, story(finished).finished(finished));
        } else if (event instanceof MaestroEvent.ModelCalled called) {
            story(called).asks(called, clock.instant());
        } else if (event instanceof MaestroEvent.ModelAnswered answered) {
            story(answered).answered(answered, prices);
        } else {
            other(event);
        }
    }

    private void call(MaestroEvent.ToolFinished finished, String arguments) {
        line(
                finished.storyId(),
                String.format(
                        Locale.ROOT,
                        "  %-14s %-16s %9s  %s%s%s",
                        finished.agentId(),
                        finished.tool(),
                        ConsoleStory.exact(finished.duration()),
                        finished.error() ? "FAILED " : "",
                        arguments.isEmpty() || arguments.equals("{}")
                                ? ""
                                : ConsoleStory.cut(ConsoleText.clean(arguments), 60) + "  ",
                        ConsoleStory.cut(ConsoleText.clean(finished.summary()), 60)));
    }

    private void other(MaestroEvent event) {
        String id = event.storyId();
        if (event instanceof MaestroEvent.ArchitectReplied replied) {
            line(
                    id,
                    String.format(
                            Locale.ROOT,
                            "  %-14s %s: %s",
                            replied.agentId(),
                            replied.decision(),
                            ConsoleStory.cut(ConsoleText.clean(replied.message()), 90)));
        } else if (event instanceof MaestroEvent.RequestOpened request) {
            if (request.until() != null) {
                line(id, "  waits for people: " + request.kind() + ", request " + request.requestId());
            }
        } else if (event instanceof MaestroEvent.ChatPosted posted) {
            String text = ConsoleStory.cut(ConsoleText.clean(posted.text()), 90);
            line(id, String.format(Locale.ROOT, "  %-14s to all: %s", posted.agentId(), text));
        } else if (event instanceof MaestroEvent.StorySubmitted story) {
            String after = story.dependsOn().isEmpty() ? "" : "  after " + String.join(", ", story.dependsOn());
            line(
                    story.specId(),
                    String.format(Locale.ROOT, "  %-14s %s%s", id, ConsoleStory.cut(story.title(), 60), after));
        } else if (event instanceof MaestroEvent.StoryRequeued story) {
            line(
                    id,
                    String.format(
                            Locale.ROOT, "  attempt %d: %s", story.attempt(), ConsoleStory.cut(story.title(), 60)));
        } else if (event instanceof MaestroEvent.StoryGivenUp story) {
            line(id, "  given up: " + ConsoleStory.cut(ConsoleText.clean(story.reason()), 90));
        } else if (event instanceof MaestroEvent.EventsLost events) {
            line(id, "(" + events.count() + " events are missing here: they came faster than they were shown)");
        } else if (event instanceof MaestroEvent.DependencyUnknown unknown) {
            line(id, "  waits for " + unknown.dependency() + ", which nobody has submitted");
        } else if (event instanceof MaestroEvent.MergeQueued queued) {
            line(id, "  is number " + queued.place() + " in the queue into " + queued.target());
        }
    }

    private ConsoleStory story(MaestroEvent event) {
        return stories.computeIfAbsent(event.storyId(), id -> new ConsoleStory(id, clock.instant()));
    }

    private void line(String id, String text) {
        erase();
        String elapsed = ConsoleStory.elapsed(Duration.between(start, clock.instant()));
        out.println((elapsed + "  " + ConsoleText.clean(id) + (id.isEmpty() ? "" : "  ") + ConsoleText.clean(text))
                .stripTrailing());
        out.flush();
    }

    /** Draws the live line again; on a terminal, this is called five times a second. */
    void draw() {
        lock.lock();
        try {
            if (terminal && !closed) {
                drawLine();
            }
        } finally {
            lock.unlock();
        }
    }

    private void drawLine() {
        erase();
        StringBuilder text = new StringBuilder();
        for (ConsoleStory story : stories.values()) {
            if (story.isActive()) {
                text.append(text.isEmpty() ? "" : " | ").append(story.live(clock.instant()));
            }
        }
        if (!text.isEmpty()) {
            frame++;
            out.print(
                    "|/-\\".charAt(frame % 4) + " " + ConsoleStory.cut(ConsoleText.clean(text.toString()), width - 3));
            drawn = true;
        }
        out.flush();
    }

    private void erase() {
        if (drawn) {
            out.print("\r\u001b[K");
            drawn = false;
        }
    }

    /** Erases the live line. What happens later is not shown. The stream stays open. A second call does nothing. */
    @Override
    public void close() {
        if (ticker != null) {
            ticker.shutdownNow();
        }
        lock.lock();
        try {
            closed = true;
            erase();
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Collects settings. Not safe for use by several threads. */
    public static final class Builder {
        private final PrintStream out;
        private boolean terminal = ConsoleProgress.isTerminal();
        private int width = 80;
        private Clock clock = Clock.systemUTC();
        private PriceTable prices = PriceTable.defaults();
        private boolean ticking = true;

        private Builder(PrintStream out) {
            this.out = Objects.requireNonNull(out, "out");
        }

        /**
         * Sets whether the stream is a terminal, and so gets a live line.
         *
         * @param yes true: it understands control sequences; default: {@link ConsoleProgress#isTerminal()}
         * @return this
         */
        public Builder terminal(boolean yes) {
            this.terminal = yes;
            return this;
        }

        /**
         * Sets how wide the terminal is; the live line is cut to it.
         *
         * @param columns from 20; default: 80
         * @return this
         * @throws IllegalArgumentException when it is less than 20
         */
        public Builder width(int columns) {
            if (columns < 20) {
                throw new IllegalArgumentException("width: must be 20 or more, not " + columns);
            }
            this.width = columns;
            return this;
        }

        /**
         * Sets the clock for elapsed times.
         *
         * @param time the clock; default: the system's
         * @return this
         */
        public Builder clock(Clock time) {
            this.clock = Objects.requireNonNull(time, "time");
            return this;
        }

        /**
         * Sets what models cost.
         *
         * @param table the prices; default: {@link PriceTable#defaults()}
         * @return this
         */
        public Builder prices(PriceTable table) {
            this.prices = Objects.requireNonNull(table, "table");
            return this;
        }

        /** For tests, which call {@link ConsoleProgress#draw} themselves. */
        Builder withoutTicker() {
            this.ticking = false;
            return this;
        }

        /**
         * Starts to show progress; elapsed time counts from now.
         *
         * @return the listener
         */
        public ConsoleProgress build() {
            return new ConsoleProgress(this);
        }
    }
}
