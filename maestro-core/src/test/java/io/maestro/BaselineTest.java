package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.event.ConsoleProgress;
import io.maestro.llm.LlmRequest;
import io.maestro.record.AuditLog;
import io.maestro.report.RunReport;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.TestOutcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A coder is not sent to mend what it did not break: checkouts are prepared, and tests that fail run without the change, too. */
class BaselineTest {
    /** Each file {@code NAME.case} is a test; it passes when {@code green} is in it. */
    private static final String SCRIPT = """
            code=0
            for f in *.case; do
                echo "=== RUN   ${f%.case}"
                grep -q green "$f" || { echo "--- FAIL: ${f%.case} (0.00s)"; code=1; }
                ! grep -q last "$f" || exit $code
            done
            exit $code
            """;

    @TempDir
    Path directory;

    private int runs;
    private ScriptedLlm coder;
    private ScriptedLlm architect;
    private List<AuditLog.ToolExecution> executions;
    private String last;
    private String lines;

    private StoryResult run(Map<String, String> files, String testCommand, Reply... replies) {
        return run(files, builder -> builder.testCommand(testCommand), replies);
    }

    private StoryResult run(Map<String, String> files, UnaryOperator<MaestroBuilder> settings, Reply... replies) {
        TestRepository repository = TestRepository.create(directory.resolve("r" + ++runs), files);
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder");
        for (Reply reply : replies) {
            script.turn(reply);
        }
        coder = script.build();
        Reply approved = Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "fine"));
        architect =
                ScriptedLlm.builder("architect").turn(approved).turn(approved).build();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (ConsoleProgress progress = ConsoleProgress.builder(new PrintStream(printed, true, UTF_8))
                        .build();
                Maestro maestro = settings.apply(Maestro.builder().listener(progress))
                        .projectDirectory(directory.resolve("project" + runs))
                        .repository(repository.url())
                        .tools(tools -> tools.discover(false))
                        .coderModel(coder)
                        .architectModel(architect)
                        .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Title").content("Content").express().build());
            executions = maestro.auditLog().toolExecutions("1").stream()
                    .filter(call -> call.tool().equals("test") || call.tool().equals("setup"))
                    .toList();
            RunReport report = maestro.report("1");
            report.writeJson(directory.resolve("report.json"));
            report.writeHtml(directory.resolve("report.html"));
            List<AuditLog.StateTransition> transitions = maestro.auditLog().transitions("1");
            last = transitions.get(transitions.size() - 1).reason();
            progress.close();
            lines = printed.toString(UTF_8);
            return result;
        }
    }

    private static Reply write(String path, String content) {
        return Reply.toolCall("write_file", Map.of("path", path, "content", content));
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "done"));
    }

    private static String asked(ScriptedLlm model, int request) {
        LlmRequest asked = model.requests().get(request);
        return asked.messages().get(asked.messages().size() - 1).toString();
    }

    @Test
    void whatFailedBeforeIsForTheArchitect() {
        StoryResult result = run(
                Map.of("test.sh", SCRIPT, "old.case", "red", "other.case", "green"),
                "sh test.sh",
                write("new.case", "green"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(architect, 0)).contains("only tests fail that failed without the change, too: old");
        assertThat(result.tests()).contains(TestOutcome.FAILED_BEFORE);
        assertThat(lines).contains(", tests fail as before").doesNotContain(", tests failed");
        assertThat(executions)
                .extracting(
                        call -> call.parameters().replaceAll("[0-9a-f]{40}", "ID"), AuditLog.ToolExecution::exitCode)
                .containsExactly(tuple("{}", 1), tuple("{\"commit\":\"ID\"}", 1));
    }

    /** As in two packages of Go, or two modules. */
    @Test
    void aTestWithTheNameOfOneThatFailedBeforeIsNotThatOne() {
        String both =
                "for f in a b; do echo '=== RUN   TestA'; grep -q green $f || { echo '--- FAIL: TestA (0.00s)'; code=1; }; done;"
                        + " exit ${code:-0}";
        StoryResult result =
                run(Map.of("test.sh", both, "a", "red", "b", "green"), "sh test.sh", write("b", "red"), done());
        assertThat(result.tests()).contains(TestOutcome.UNTESTED);
        assertThat(asked(architect, 0)).contains("too: TestA; but 0 tests have passed, and 1 without the change");
    }

    @Test
    void aTestThatHasNotRunHasNotPassed() {
        StoryResult result = run(
                Map.of("test.sh", SCRIPT, "old.case", "red", "other.case", "green"),
                "sh test.sh",
                write("old.case", "red, and the last"),
                write("other.case", "red"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.UNTESTED);
        assertThat(asked(architect, 0))
                .contains(
                        "UNTESTED: only tests fail that failed without the change, too: old; but 0 tests have passed, and 1");
    }

    @Test
    void whereNobodyKnowsHowManyTestsHaveRunNoneHasPassed() {
        StoryResult result = run(
                Map.of("test.sh", SCRIPT, "old.case", "red"),
                "sh test.sh | grep -v RUN; exit 1",
                write("new.case", "green"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.UNTESTED);
        assertThat(asked(architect, 0)).contains("the output does not say whether the other tests have passed");
    }

    @Test
    void whatTheChangeHasBrokenIsForTheCoderAndNamed() {
        StoryResult result = run(
                Map.of("test.sh", SCRIPT, "old.case", "red", "other.case", "green"),
                "sh test.sh",
                write("other.case", "red"),
                done(),
                write("other.case", "broken"),
                done(),
                write("other.case", "green again"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(coder, 2))
                .contains("Without your change: tests failed with exit code 1: sh test.sh")
                .contains("Your change has broken other; leave alone what failed before");
        // Without the change they run once only.
        assertThat(executions)
                .extracting(call -> call.parameters().contains("commit"))
                .containsExactly(false, true, false, false);
    }

    @Test
    void testsThatPassedBeforeAreAllTheCoders() {
        StoryResult result = run(
                Map.of("test.sh", SCRIPT, "other.case", "green"),
                "sh test.sh",
                write("other.case", "red"),
                done(),
                write("other.case", "green again"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(coder, 2))
                .contains("The project's tests do not pass", "--- failed tests (1) ---\nother")
                .doesNotContain("Without your change");
    }

    @Test
    void failuresWithoutNamesAreForTheCoder() {
        StoryResult result = run(
                Map.of("README.md", "r"),
                "grep -q Hello hello.txt",
                write("a.txt", "a"),
                done(),
                write("hello.txt", "Hello"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-such-program-4711 --all",
                "cd . && no-such-program-4711",
                "true; /no-such-program-4711",
                "./no-such-program-4711",
                "./README.md",
                "no-such-program-4711 | tee out.txt",
                "no-such-program-4711 2>&1 | tee out.txt; echo finished",
                "no-such-program-4711 & wait",
                "! no-such-program-4711",
                "CI=1 timeout 60 no-such-program-4711; true",
                "bash -c 'no-such-program-4711 | cat'",
                "test -n x && no-such-program-4711 | cat"
            })
    void aCommandThatIsSetAndCannotBeRunEndsTheStoryBeforeAModelIsPaid(String command) {
        String program = command.replaceFirst(".*(no-such-program-4711|README.md).*", "$1");
        cannotBegin(builder -> builder.testCommand(command), program);
        cannotBegin(builder -> builder.testCommand("true").commands(commands -> commands.setup(command)), program);
    }

    private void cannotBegin(UnaryOperator<MaestroBuilder> settings, String cause) {
        StoryResult result = run(Map.of("README.md", "r"), settings, write("a.txt", "a"), done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.FAILED);
        assertThat(result.error().orElse("")).startsWith("in SETUP: ").contains(cause, "testCommand", "tests.command");
        assertThat(result.tests()).isEmpty();
        assertThat(coder.requests()).isEmpty();
    }

    @Test
    void aCommandThatIsSetAndIsFoundToRunNothingOnlyInTestingIsNeverMerged() {
        StoryResult result =
                run(Map.of("README.md", "r"), "if true; then no-such-program-4711; fi", write("a.txt", "a"), done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.FAILED);
        assertThat(result.error().orElse("")).startsWith("in TESTING: ").contains("exit code 127", "testCommand");
        assertThat(architect.requests()).isEmpty();
    }

    /** What setting up makes is there only then. */
    @Test
    void aScriptWithoutItsInterpreterIsNeverMerged() {
        String script = "printf '#!/no/such/interpreter\\n' > t.sh; chmod +x t.sh";
        StoryResult result = run(
                Map.of(".gitignore", "t.sh"),
                builder -> builder.commands(commands -> commands.setup(script)).testCommand("./t.sh | cat"),
                write("a.txt", "a"),
                done());
        assertThat(result.error().orElse(""))
                .startsWith("in TESTING: tests cannot be run, as there is no program /no/such/interpreter");
    }

    /** Another program is meant then, it is made on the way, or it is found in another place. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-such-program-4711 || true",
                "if test -f none; then no-such-program-4711; fi",
                "[ -f none ] && no-such-program-4711; true",
                "mkdir -p b; printf '#!/bin/sh\n' > b/made-4711; chmod +x b/made-4711; PATH=$PWD/b:$PATH; made-4711",
                "made_4711() { true; }; made_4711",
                "echo 'x; no-such-program-4711 y' # no-such-program-4711",
                "cat <<end\nno-such-program-4711\nend"
            })
    void aProgramThatNeedNotBeThereBeforeKeepsNoStoryFromItsEnd(String command) {
        StoryResult result = run(Map.of("README.md", "r"), command, write("a.txt", "a"), done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.PASSED);
    }

    @Test
    void aProgramThatTheChangeHasTakenAwayFromAPipeIsForTheCoder() {
        StoryResult result = run(
                Map.of("t", "#!/bin/sh\n"),
                builder -> builder.commands(commands -> commands.setup("chmod +x t || true"))
                        .testCommand("./t | cat"),
                Reply.toolCall("shell", Map.of("cmd", "mv t other")),
                done(),
                Reply.toolCall("shell", Map.of("cmd", "cp other t")),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(coder, 2)).contains("tests cannot be run, as there is no program ./t: ./t | cat");
    }

    @Test
    void aProgramThatTheChangeHasTakenAwayIsForTheCoder() {
        StoryResult result = run(
                Map.of("t", "#!/bin/sh\n"),
                "chmod +x t; ./t",
                Reply.toolCall("shell", Map.of("cmd", "mv t other")),
                done(),
                Reply.toolCall("shell", Map.of("cmd", "cp other t")),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.PASSED);
        assertThat(asked(coder, 2)).contains("tests cannot be run (exit code 127)");
    }

    /** Nobody has set a command; it is the build file's, or there is none. */
    @ParameterizedTest
    @ValueSource(strings = {"mvnw", "README.md"})
    void whatNobodyCanTestIsMergedAsUntested(String file) {
        StoryResult result = run(Map.of(file, "no-such-program-4711"), builder -> builder, write("a.txt", "a"), done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.UNTESTED);
        assertThat(result.untested()).isTrue();
        assertThat(asked(architect, 0)).contains("UNTESTED: ");
        assertThat(directory.resolve("report.json")).content().contains("\"tests\" : \"UNTESTED\"");
        assertThat(directory.resolve("report.html")).content().contains("<bdi class=mono>UNTESTED</bdi>");
        assertThat(last).endsWith(", UNTESTED");
        assertThat(lines).contains(", UNTESTED").doesNotContain("tests passed", "tests failed");
    }

    @Test
    void aBuildFileThatTheChangeBringsAndThatCannotBeRunIsForTheCoder() {
        StoryResult result = run(
                Map.of("README.md", "r"),
                builder -> builder,
                write("mvnw", "no-such-program-4711"),
                done(),
                write("mvnw", "true"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.PASSED);
    }

    @Test
    void aChangeThatTakesAwayTheBuildFileIsForTheCoder() {
        StoryResult result = run(
                Map.of("mvnw", "true"),
                builder -> builder,
                Reply.toolCall("shell", Map.of("cmd", "mv mvnw other")),
                done(),
                Reply.toolCall("shell", Map.of("cmd", "mv other mvnw; echo a > a.txt")),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(result.tests()).contains(TestOutcome.PASSED);
        assertThat(asked(coder, 2)).contains("no tests were run");
    }

    @Test
    void aChangeThatKeepsTestsFromRunningIsForTheCoder() {
        StoryResult result = run(
                Map.of("Makefile", "test:\n\ttrue\n"),
                "make test",
                write("Makefile", "all:\n\ttrue\n"),
                done(),
                write("Makefile", "test:\n\ttrue\nall:\n\ttrue\n"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(coder, 2)).contains("tests cannot be run (exit code 2)", "No rule to make target");
    }

    @Test
    void aFreshCheckoutIsPreparedBeforeCodingAndBeforeTests() {
        StoryResult result = run(
                Map.of(".gitignore", "deps/"),
                builder -> builder.commands(commands -> commands.setup("mkdir deps && echo fetched > deps/lib"))
                        .testCommand("cat deps/lib && test -e good"),
                Reply.toolCall("shell", Map.of("cmd", "cat deps/lib")),
                write("bad", "b"),
                done(),
                write("good", "g"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(asked(coder, 1)).contains("fetched");
        // The coder's workspace once, although it came back; the checkouts of tests are not shown.
        assertThat(executions)
                .extracting(
                        AuditLog.ToolExecution::tool, AuditLog.ToolExecution::exitCode, call -> call.error() != null)
                .containsExactly(
                        tuple("setup", 0, false),
                        tuple("test", 1, true),
                        tuple("test", 1, true),
                        tuple("test", 0, false));
    }

    @Test
    void whatCannotBePreparedIsSaid() {
        StoryResult result = run(
                Map.of("README.md", "r"),
                builder -> builder.commands(commands -> commands.setup("echo no network >&2; exit 3"))
                        .testCommand("true"),
                write("a.txt", "a"),
                done());
        assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(coder.requests().get(0).messages().toString())
                .contains("could not be prepared", "the setup command failed with exit code 3", "no network");
        assertThat(asked(architect, 0))
                .contains("UNTESTED: tests cannot be run, without the change neither", "the setup command failed");
        assertThat(result.untested()).isTrue();
    }
}
