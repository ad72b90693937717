package io.maestro.team.internal.coder;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecException;
import io.maestro.git.internal.Workspace;
import io.maestro.project.internal.ProjectPrograms;
import io.maestro.project.internal.ProjectTests;
import io.maestro.project.internal.ProjectTests.TestVerdict;
import io.maestro.project.internal.TestSlots;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.CallJournal;
import io.maestro.runtime.internal.Cleaner;
import io.maestro.secrets.Redactor;
import io.maestro.story.TestOutcome;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.story.ReviewedWork;
import io.maestro.team.internal.story.ReviewedWork.Baseline;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the project's tests where no model asks for it: on a checkout of one snapshot, where nothing of the coder's is. After a check of the image that the coder has chosen, if it has. The
 * tests are in the record and shown like a call of the tool {@code test}, since they are the same; the check is like a tool
 * {@code container_check}. Where they do not pass, that is a failed call. None begins or goes on when the story's time is used up.
 */
public final class TestRuns {
    private static final Logger LOG = LoggerFactory.getLogger(TestRuns.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** More than the output of a run may have. */
    private static final int MOST_CHARACTERS = 1 << 20;

    private static final int MOST_NAMES = 10;
    private static final String FAULT = "The project's tests do not pass";

    private final ProjectTests tests;
    private final MergeTurns turns;
    private final Cleaner cleaner;
    private final CallJournal journal;

    public TestRuns(ProjectTests tests, MergeTurns turns, Store store, Redactor redactor, Events events) {
        this.tests = tests;
        this.turns = turns;
        this.cleaner = new Cleaner(redactor);
        this.journal = new CallJournal(store::recordToolExecution, events, cleaner, events.telemetry());
    }

    /**
     * How it went.
     *
     * @param outcome in a word
     * @param headline one line
     * @param summary what was found, for a model
     * @param fault what does not pass, if something does not
     */
    record TestRunReport(TestOutcome outcome, String headline, String summary, String fault) {
        /** The work was tested so. */
        void noteIn(ReviewedWork work, String tree) {
            work.tested(tree, outcome, headline, summary);
        }

        /** Whether the work may go on: it is not the coder's turn. */
        boolean passed() {
            return outcome != TestOutcome.FAILED;
        }
    }

    /** What is to be recorded of a run. */
    private record Ran<R>(R result, boolean passed, String headline, String summary, OptionalInt exitCode) {}

    /** Tests what lies in a snapshot, in checkouts that no command of the coder can reach, each for one use. */
    TestRunReport run(StoryAttempt run, Workspace.Snapshot snapshot) {
        String chosen = run.images().forProject();
        String checked = "";
        if (chosen != null) {
            Ran<ImageCheck> check = recorded(
                    run,
                    "container_check",
                    Map.of("image", chosen),
                    () -> run.workspace().inCheckout(snapshot, checkout -> check(run, chosen, checkout)));
            if (!check.passed()) {
                return new TestRunReport(
                        TestOutcome.FAILED,
                        check.headline(),
                        check.summary(),
                        "The image that you have chosen by `container_update` does not pass its check");
            }
            run.images().pinned(check.result().image());
            checked = check.summary() + "\n\n";
        }
        // The check may have pinned it.
        String image = run.images().forProject();
        ProjectTests.TestReport now = recorded(run, "test", Map.of(), () -> tests(run, snapshot, image))
                .result();
        String summary = checked + now.summary();
        if (now.verdict() == TestVerdict.PASSED) {
            return new TestRunReport(TestOutcome.PASSED, now.headline(), summary, "");
        }
        if (now.verdict() == TestVerdict.NONE && (snapshot.empty() || !hadTests(run, snapshot))) {
            return untested(now.headline(), summary);
        }
        if (snapshot.empty()) {
            return new TestRunReport(TestOutcome.FAILED, now.headline(), summary, FAULT);
        }
        return compared(baseline(run, snapshot), now, summary);
    }

    /**
     * Runs the tests before it is the story's turn to be merged.
     *
     * @return empty when they do not pass
     */
    Optional<TestRunReport> ahead(StoryAttempt run, Workspace.Snapshot snapshot) {
        ProjectTests.TestReport now = recorded(run, "test", Map.of(), () -> tests(run, snapshot, null))
                .result();
        return now.verdict() == TestVerdict.PASSED
                ? Optional.of(new TestRunReport(TestOutcome.PASSED, now.headline(), now.summary(), ""))
                : Optional.empty();
    }

    /** Whether there was a command for the tests without the change. */
    private boolean hadTests(StoryAttempt run, Workspace.Snapshot snapshot) {
        return run.workspace().inCheckout(run.workspace().base(snapshot), tests::hasTests);
    }

    private static TestRunReport untested(String why, String summary) {
        String headline = TestOutcome.UNTESTED + ": " + why;
        return new TestRunReport(TestOutcome.UNTESTED, headline, headline + "\n\n" + summary, "");
    }

    /**
     * Refuses tests that cannot be run although a person has set their command.
     *
     * @throws MaestroException with what to do
     */
    void requireRunnable(StoryAttempt run) {
        Set<String> programs = tests.programs(run.workspace().directory());
        if (programs.isEmpty()) {
            return;
        }
        try {
            run.environment().enter(run.story().express() ? Phase.CODING : Phase.PLANNING);
            if (ProjectPrograms.missing(run.environment().executor(), programs).isEmpty()) {
                return;
            }
            Workspace.Snapshot base = run.workspace().base(run.workspace().snapshot());
            run.workspace()
                    .inCheckout(
                            base,
                            checkout -> timed(
                                    run,
                                    () -> run.environment()
                                            .runFresh(checkout, null, executor -> tests.cannotRun(executor, checkout)),
                                    found -> true))
                    .ifPresent(TestRuns::refuse);
        } catch (ExecException | RetriableException | OutOfTimeException e) {
            // TESTING will tell.
            LOG.warn("whether the tests of {} can be run is not known yet: {}", run, e.getMessage());
        }
    }

    private static void refuse(ProjectTests.TestReport report) {
        String printed = report.summary()
                .lines()
                .skip(1)
                .filter(line -> !line.startsWith("--- ") && !line.isBlank())
                .findFirst()
                .map(line -> " (" + line + ")")
                .orElse("");
        throw new MaestroException(report.headline() + printed
                + ": install the program where commands run, or set another command, by testCommand(…) and setupCommand(…) or"
                + " tests.command and setup.command in .maestro/config.json");
    }

    /**
     * How the tests went without the change: on the files that the target branch had, in the image that the project has without
     * the coder's choice. They run only once for each commit, and again where the coder has brought up other services.
     */
    private Baseline baseline(StoryAttempt run, Workspace.Snapshot snapshot) {
        Baseline known = run.work().baseline();
        String services = run.environment().services();
        if (known != null && known.commit().equals(snapshot.baseCommit()) && services.equals(known.services())) {
            return known;
        }
        Map<String, String> parameters = Map.of("commit", snapshot.baseCommit());
        ProjectTests.TestReport report = recorded(
                        run,
                        "test",
                        parameters,
                        () -> tests(run, run.workspace().base(snapshot), null))
                .result();
        Baseline found = new Baseline(
                snapshot.baseCommit(),
                services,
                report.verdict().name(),
                report.headline(),
                report.failures().stream().sorted().toList(),
                report.passing().isPresent() ? report.passing().getAsInt() : null);
        if (report.verdict() != TestVerdict.NO_PROGRAM) {
            // That ends the story, and may be mended before it goes on.
            run.work().baseline(found);
        }
        return found;
    }

    /**
     * What did not pass before either is nothing that the coder has broken: the architect learns it and decides. That needs names
     * of tests, or tests that cannot be run at all; where the output has no names, the coder looks at it. A test that has not run
     * has not passed: where not as many are known to have passed as before, the change counts as untested.
     */
    private static TestRunReport compared(Baseline before, ProjectTests.TestReport now, String summary) {
        TestVerdict then = TestVerdict.valueOf(before.verdict());
        if (now.verdict() == TestVerdict.NO_PROGRAM && then == TestVerdict.NO_PROGRAM) {
            refuse(now);
        }
        if (!now.verdict().ran()
                && now.verdict() != TestVerdict.NO_PROGRAM
                && !then.ran()
                && then != TestVerdict.NONE) {
            return untested("tests cannot be run, without the change neither", summary);
        }
        boolean sameFailures = now.verdict() == TestVerdict.FAILED
                && !now.failures().isEmpty()
                && before.failures().containsAll(now.failures());
        if (sameFailures) {
            String headline = "only tests fail that failed without the change, too: " + shortened(now.failures());
            Integer least = before.passing();
            if (least == null || now.passing().isEmpty() || now.passing().getAsInt() < least) {
                return untested(headline + "; " + howMany(now.passing(), least), summary);
            }
            return new TestRunReport(TestOutcome.FAILED_BEFORE, headline, headline + "\n\n" + summary, "");
        }
        if (then == TestVerdict.PASSED || then == TestVerdict.NONE) {
            return new TestRunReport(TestOutcome.FAILED, now.headline(), summary, FAULT);
        }
        Set<String> broken = new TreeSet<>(now.failures());
        broken.removeAll(before.failures());
        String without = "Without your change: " + before.headline() + ". "
                + (broken.isEmpty() || before.failures().isEmpty()
                        ? "Mend what your change has broken, and what the story asks for"
                        : "Your change has broken " + shortened(broken) + "; leave alone what failed before");
        return new TestRunReport(TestOutcome.FAILED, now.headline(), summary, FAULT + ". " + without);
    }

    private static String howMany(OptionalInt passing, @Nullable Integer before) {
        return passing.isEmpty() || before == null
                ? "the output does not say whether the other tests have passed"
                : "but " + passing.getAsInt() + " tests have passed, and " + before + " without the change";
    }

    private static String shortened(Set<String> names) {
        String most = names.stream().sorted().limit(MOST_NAMES).collect(Collectors.joining(", "));
        return names.size() <= MOST_NAMES ? most : most + " and " + (names.size() - MOST_NAMES) + " more";
    }

    /**
     * Prepares the coder's workspace, once in an attempt. What does not work is told to the coder, who may know better.
     */
    void setUp(StoryAttempt run) {
        if (run.checkout().isSetUp()) {
            return;
        }
        Path directory = run.workspace().directory();
        if (tests.hasSetup(directory)) {
            ProjectTests.TestReport report = recorded(run, "setup", Map.of(), () -> {
                        ProjectTests.TestReport made = setUp(run, directory);
                        return new Ran<>(made, made.passed(), made.headline(), made.summary(), made.exitCode());
                    })
                    .result();
            if (!report.passed()) {
                run.guidance().tell("Your workspace could not be prepared. See to it yourself: " + report.summary());
            }
        }
        run.checkout().setUp();
    }

    private ProjectTests.TestReport setUp(StoryAttempt run, Path directory) {
        try {
            return timed(
                    run,
                    () -> tests.setup(run.environment().executor(), directory).orElseThrow(),
                    ProjectTests.TestReport::passed);
        } catch (ExecException e) {
            return ProjectTests.TestReport.of(
                    TestVerdict.CANNOT_RUN, "the setup command had no end: " + e.getMessage());
        }
    }

    private static Ran<ImageCheck> check(StoryAttempt run, String image, Path checkout) {
        ImageCheck check = timed(run, () -> run.environment().check(image, checkout), ImageCheck::passed);
        String report = check.report();
        String headline = "container check " + (check.passed() ? "passed: " : "failed: ")
                + report.lines().findFirst().orElse(image);
        return new Ran<>(
                check,
                check.passed(),
                headline,
                "container check " + (check.passed() ? "passed: " : "failed: ") + report,
                OptionalInt.empty());
    }

    private Ran<ProjectTests.TestReport> tests(StoryAttempt run, Workspace.Snapshot snapshot, @Nullable String image) {
        ProjectTests.TestReport report = report(run, snapshot, image);
        return new Ran<>(report, report.passed(), report.headline(), report.summary(), report.exitCode());
    }

    /** Tests may be run again, unlike other commands: a sandbox that was lost under them fails neither them nor the story. */
    private ProjectTests.TestReport report(StoryAttempt run, Workspace.Snapshot snapshot, @Nullable String image) {
        try {
            return fresh(run, snapshot, image);
        } catch (ExecException first) {
            LOG.info("the tests of story {} are run again: {}", run.story().id(), first.getMessage());
            try {
                return fresh(run, snapshot, image);
            } catch (ExecException e) {
                String text = "tests could not be run to their end: " + e.getMessage();
                return ProjectTests.TestReport.of(ProjectTests.TestVerdict.FAILED, text);
            }
        }
    }

    private ProjectTests.TestReport fresh(StoryAttempt run, Workspace.Snapshot snapshot, @Nullable String image) {
        try (TestSlots.TestSlot slot = slot(run)) {
            return run.workspace()
                    .inCheckout(
                            snapshot,
                            checkout -> timed(
                                    run,
                                    () -> run.environment()
                                            .runFresh(checkout, image, executor -> tests.runFresh(executor, checkout)),
                                    ProjectTests.TestReport::passed));
        }
    }

    /** The story's clock stands still until then. */
    private TestSlots.TestSlot slot(StoryAttempt run) {
        TestSlots.Rank other = MergeTurns.isMerging(run.state()) ? TestSlots.Rank.AHEAD : TestSlots.Rank.WORKER;
        run.meter().pause();
        try {
            return tests.slots().take(() -> turns.has(run.story().id()) ? TestSlots.Rank.HEAD : other);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } finally {
            run.moved(run.state());
        }
    }

    private static <T> T timed(StoryAttempt run, Supplier<T> work, Predicate<T> whole) {
        return run.meter().timed(run.stop(), work, whole);
    }

    private <R> Ran<R> recorded(StoryAttempt run, String tool, Map<String, String> parameters, Supplier<Ran<R>> work) {
        ToolInvocation invocation = new ToolInvocation(
                UUID.randomUUID().toString(),
                tool,
                JSON.valueToTree(parameters).toString(),
                new ToolInvocation.Caller(
                        run.sessionId(),
                        run.agentId(),
                        run.story().id(),
                        run.attempt(),
                        run.state().name()));
        Instant at = Instant.now();
        long start = System.nanoTime();
        try (Telemetry.Span span = journal.begin(invocation, tool, at);
                Telemetry.Scope scope = span.enter()) {
            Ran<R> ran;
            try {
                ran = work.get();
                CancelledException.check();
            } catch (CancelledException | StoreException e) {
                // What was ended from outside says nothing about the project: it has no row.
                span.failed("cancelled");
                if (turns.isUseless(run.story().id())) {
                    ToolResult ended = ToolResult.error("ended: it is of no use any more");
                    journal.end(invocation, tool, ended, Duration.ofNanos(System.nanoTime() - start));
                }
                throw e;
            } catch (RuntimeException e) {
                try {
                    note(invocation, ToolResult.error("this had no end: " + e.getMessage()), at, start, span);
                } catch (StoreException unrecorded) {
                    e.addSuppressed(unrecorded);
                }
                throw e;
            }
            ToolResult.Builder result = ToolResult.builder(ran.summary());
            ran.exitCode().ifPresent(result::exitCode);
            note(invocation, ran.passed() ? result.build() : result.error().build(), at, start, span);
            return ran;
        }
    }

    private void note(ToolInvocation invocation, ToolResult result, Instant began, long start, Telemetry.Span span) {
        // As in the runtime of tools: not every kind of store can be written to by an interrupted thread.
        boolean interrupted = Thread.interrupted();
        try {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            ToolRuntime.Answer clean = cleaner.answer(result, MOST_CHARACTERS);
            journal.record(invocation, invocation.tool(), clean, began, took, span);
            journal.end(invocation, invocation.tool(), clean.result(), took);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
