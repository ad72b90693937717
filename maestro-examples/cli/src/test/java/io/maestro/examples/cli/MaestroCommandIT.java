package io.maestro.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The one jar, as a person at a shell uses it: one process runs a story, others look at it and answer. */
@Timeout(180)
class MaestroCommandIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "sk-ant-the-key-of-the-test";

    @TempDir
    Path directory;

    private Path project;

    private record Ran(int exit, String out, String err) {}

    @BeforeEach
    void makeRepository() throws Exception {
        project = Files.createDirectories(directory.resolve("project/.maestro")).getParent();
        Path work = directory.resolve("work");
        git("init", "--quiet", "--initial-branch=main", work.toString());
        Files.writeString(work.resolve("README.md"), "A project.\n");
        git("-C", work.toString(), "add", ".");
        git(
                "-C",
                work.toString(),
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "--quiet",
                "-m",
                "Begin");
        git(
                "clone",
                "--quiet",
                "--bare",
                work.toString(),
                directory.resolve("origin.git").toString());
        Files.writeString(directory.resolve("story.md"), "# Say hello\n\nIn hello.txt.\n");
    }

    private static void git(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private void configure(String baseUrl) throws IOException {
        Files.writeString(
                project.resolve(".maestro/config.json"), """
                {
                  "agents": { "coder_model": "claude-x" },
                  "models": { "anthropic": { "base_url": "%s" },
                              "prices": { "claude-x": { "input": 1, "output": 1, "cache_read": 1, "cache_write": 1 } } },
                  "git": { "repository": "%s" },
                  "tests": { "command": "test -f hello.txt" },
                  "people": { "decide": ["plan_review", "merge"] }
                }
                """.formatted(baseUrl, directory.resolve("origin.git")));
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("cli.jar")));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile());
        builder.environment().put("ANTHROPIC_API_KEY", KEY);
        return builder.redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private Ran end(Process process) throws Exception {
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Ran(
                process.exitValue(),
                Files.readString(directory.resolve("out")),
                Files.readString(directory.resolve("err")));
    }

    /** In this JVM, which is another process than the one that runs the story, and starts faster. */
    private Ran run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--directory", project.toString()));
        int exit = MaestroCommand.line(new PrintWriter(out, true), new PrintWriter(err, true))
                .execute(words.toArray(String[]::new));
        return new Ran(exit, out.toString(), err.toString());
    }

    private JsonNode waiting() throws IOException {
        for (long end = System.nanoTime() + Duration.ofSeconds(90).toNanos(); System.nanoTime() < end; ) {
            Ran inbox = run("inbox", "--json");
            if (inbox.exit() == 0 && !JSON.readTree(inbox.out()).isEmpty()) {
                return JSON.readTree(inbox.out()).path(0);
            }
            LockSupport.parkNanos(50_000_000);
        }
        throw new AssertionError("nothing waits; " + Files.readString(directory.resolve("err")));
    }

    @Test
    void aStoryIsRunHereAndAnsweredThere() throws Exception {
        ApiScript script = ApiScript.turns(
                ApiReply.use("submit_plan", "plan", "write bye.txt"),
                ApiReply.use("write_file", "path", "hello.txt", "content", "Hello"),
                ApiReply.use("done", "summary", "wrote hello.txt"),
                ApiReply.use("review_complete", "decision", "APPROVED", "feedback", "fine"));
        try (StubApi api = StubApi.start(script)) {
            configure(api.baseUrl());
            Process story = start("run", directory.resolve("story.md").toString(), "--json");
            try {
                JsonNode plan = waiting();
                assertThat(plan.path("kind").asText()).isEqualTo("PLAN_REVIEW");
                String id = plan.path("id").asText();
                assertThat(run("inbox").out()).contains(id, "PLAN_REVIEW", "Say hello");
                assertThat(run("inbox", id).out())
                        .contains("## plan", "write bye.txt", "Otherwise: The story ends in ERROR");
                assertThat(run("status").out()).contains("PLAN_REVIEW", "1 wait for people");

                Path better = Files.writeString(directory.resolve("plan.md"), "write hello.txt");
                Ran answer = run("answer", id, "--approve", "--plan", better.toString(), "--as", "alice");
                assertThat(answer.out()).as(answer.err()).isEqualToIgnoringNewLines("That counts.");
                assertThat(answer.exit()).isZero();
                Ran late = run("answer", id, "--reject", "-m", "no", "--as", "bob");
                assertThat(late.exit()).isEqualTo(MaestroCommand.TOO_LATE);
                assertThat(late.out()).contains("Too late: alice has decided APPROVED");

                JsonNode merge = waiting();
                assertThat(merge.path("kind").asText()).isEqualTo("MERGE");
                assertThat(run("answer", merge.path("id").asText(), "--approve").exit())
                        .isZero();
                Ran ended = end(story);
                assertThat(ended.exit()).as(ended.err()).isZero();
                JsonNode result = JSON.readTree(ended.out()).path(0);
                assertThat(result.path("outcome").asText()).isEqualTo("MERGED");
                assertThat(ended.out() + ended.err()).doesNotContain(KEY);
            } finally {
                story.destroyForcibly().waitFor();
            }
            assertThat(api.conversations()).anyMatch(request -> request.heard("write hello.txt"));
        }

        JsonNode status = JSON.readTree(run("status", "--json").out());
        String id = status.path("stories").path(0).path("id").asText();
        assertThat(status.path("stories").path(0).path("state").asText()).isEqualTo("DONE");
        Path report = directory.resolve("report.html");
        assertThat(run("report", id, "--output", report.toString()).exit()).isZero();
        assertThat(report).content().contains("by alice");
        assertThat(run("report", id, "-o", directory.resolve("report.json").toString())
                        .exit())
                .isZero();
        assertThat(JSON.readTree(directory.resolve("report.json").toFile())
                        .path("stories")
                        .path(0)
                        .path("requests")
                        .path(0)
                        .path("by")
                        .asText())
                .isEqualTo("alice");
    }

    @Test
    void theJarSaysWhatThisMachineHas() throws Exception {
        Ran doctor = end(start("doctor", "--json"));
        JsonNode findings = JSON.readTree(doctor.out());
        assertThat(findings.findValuesAsText("subject"))
                .contains("java", "git", "claude", "ANTHROPIC_API_KEY", "project");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("\"detail\" : \"set\"", "no " + project.resolve(".maestro/config.json"))
                .doesNotContain(KEY);

        configure("http://127.0.0.1:9");
        Files.writeString(
                project.resolve(".maestro/config.json"),
                Files.readString(project.resolve(".maestro/config.json")).replace("origin.git", "nowhere.git"));
        Ran wrong = run("doctor");
        assertThat(wrong.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(wrong.out()).contains("FAILED", "nowhere.git");
    }

    @Test
    void whatIsWrongIsSaidWithAnExitCode() throws IOException {
        Ran none = run("status");
        assertThat(none.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(none.err()).contains("there is no record", "--directory");
        assertThat(run("inbox").err()).contains("there is no record");
        assertThat(run("run", directory.resolve("none.md").toString()).err()).contains("none.md");
        Files.writeString(project.resolve(".maestro/config.json"), "{\"people\": {\"decide\": [\"everything\"]}}");
        Ran wrong = run("run", directory.resolve("story.md").toString());
        assertThat(wrong.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(wrong.err()).contains("$.people.decide", "everything");
        assertThat(run("answer", "1", "--approve", "--reject").exit()).isEqualTo(2);
        assertThat(run("nothing").exit()).isEqualTo(2);
        assertThat(MaestroCommand.line(new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()))
                        .execute("completion"))
                .isZero();
    }
}
