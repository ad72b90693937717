package io.maestro.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

    /** Where a person works; the command line's own directory is in it. */
    private Path project;

    private Path own;

    private record Ran(int exit, String out, String err) {}

    @BeforeEach
    void makeRepository() throws Exception {
        project = Files.createDirectory(directory.resolve("project"));
        own = project.resolve(".maestro-work");
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
        Files.writeString(Files.createDirectories(own).resolve("config.json"), """
                {
                  "agents": { "coder_model": "claude-x" },
                  "models": { "anthropic": { "base_url": "%s" },
                              "prices": { "claude-x": { "input": 1, "output": 1, "cache_read": 1, "cache_write": 1 } } },
                  "git": { "repository": "%s" },
                  "tests": { "command": "test -f hello.txt" },
                  "people": { "decide": ["plan_review", "merge"] }
                }
                """.formatted(
                        baseUrl, directory.resolve("origin.git")));
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")),
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
        words.addAll(List.of("--directory", own.toString()));
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
            // Each look opens the record, which takes processor time from the process that it waits for.
            LockSupport.parkNanos(250_000_000);
        }
        throw new AssertionError("nothing waits; " + Files.readString(directory.resolve("err")));
    }

    @Test
    void aStoryIsRunHereAndAnsweredThere() throws Exception {
        ApiScript script = ApiScript.turns(
                ApiReply.use("submit_plan", "plan", "write bye.txt"),
                ApiReply.use("write_file", "path", "hello.txt", "content", "Hello\n".repeat(60) + "End\n"),
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
                        .contains(
                                "## story",
                                "In hello.txt.",
                                "## plan",
                                "write bye.txt",
                                "Otherwise: The story ends in ERROR");
                assertThat(run("status").out()).contains("PLAN_REVIEW", "1 wait for people");

                Ran said = run("answer", id, "--say", "write bye.txt");
                assertThat(said.exit()).isEqualTo(MaestroCommand.FAILED);
                assertThat(said.err())
                        .contains("is a PLAN_REVIEW, no question", "approve it, ask for changes or reject it");
                Path better = Files.writeString(directory.resolve("plan.md"), "write hello.txt");
                Ran answer = run("answer", id, "--approve", "--plan", better.toString(), "--as", "alice");
                assertThat(answer.out())
                        .as(answer.err())
                        .isEqualToIgnoringNewLines("approved: plan of story goes on to coding");
                assertThat(answer.exit()).isZero();
                Ran late = run("answer", id, "--reject", "-m", "no", "--as", "bob");
                assertThat(late.exit()).isEqualTo(MaestroCommand.TOO_LATE);
                assertThat(late.out()).contains("too late: alice has decided APPROVED");

                JsonNode merge = waiting();
                assertThat(merge.path("kind").asText()).isEqualTo("MERGE");
                String mergeId = merge.path("id").asText();
                String shown = run("inbox", mergeId).out();
                assertThat(shown)
                        .contains("## review", "has decided APPROVED: fine", "## tests", "## diff", "+Hello")
                        .contains("more lines: maestro inbox " + mergeId + " --full")
                        .doesNotContain("+End");
                assertThat(run("inbox", mergeId, "--full").out())
                        .contains("+End")
                        .doesNotContain("more lines");
                Ran not = run("answer", mergeId, "--say", "Do NOT merge this, it is wrong");
                assertThat(not.exit()).isEqualTo(MaestroCommand.FAILED);
                assertThat(not.err()).contains("is a MERGE, no question");
                assertThat(waiting().path("id").asText()).isEqualTo(mergeId);
                Ran merged = run("answer", mergeId, "--approve");
                assertThat(merged.exit()).as(merged.err()).isZero();
                assertThat(merged.out()).isEqualToIgnoringNewLines("approved: merge of story goes on");
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
        isPlayedAgain(id);
    }

    private void isPlayedAgain(String id) throws IOException {
        Ran same = run("replay", id);
        assertThat(same.exit()).as(same.err() + same.out()).isZero();
        assertThat(same.out()).contains(id + " is the same.", "files now:");
        Path into = directory.resolve("replayed");
        Ran differs = run("replay", id, "--test", "false", "--into", into.toString(), "--json");
        assertThat(differs.exit()).as(differs.err()).isEqualTo(MaestroCommand.DIFFERS);
        JsonNode json = JSON.readTree(differs.out());
        assertThat(json.path("same").asBoolean(true)).isFalse();
        JsonNode story = json.path("stories").path(0);
        JsonNode difference = story.path("difference");
        assertThat(difference.path("recorded").path("exit_code").asInt(-1)).isZero();
        assertThat(difference.path("replayed").path("exit_code").asInt(-1)).isEqualTo(1);
        assertThat(story.path("recorded_tree").asText()).hasSize(40);
        assertThat(into).isNotEmptyDirectory();
        assertThat(run("replay", "nobody").err()).contains("there is no story nobody");
    }

    /** The model by what it may call, whoever of the team it is. */
    private static ApiReply plays(ApiRequest request) {
        List<String> tools = request.tools();
        if (tools.contains("submit_stories")) {
            return ApiReply.use(
                    "submit_stories",
                    "requirements",
                    List.of(Map.of(
                            "title",
                            "Say hello",
                            "description",
                            "In hello.txt",
                            "acceptance_criteria",
                            List.of("it says hello"),
                            "dependencies",
                            List.of())));
        }
        if (tools.contains("review_complete")) {
            return ApiReply.use("review_complete", "decision", "APPROVED", "feedback", "fine");
        }
        if (tools.contains("submit_plan")) {
            return ApiReply.use("submit_plan", "plan", request.heard("Mind the tests") ? "and test it" : "write it");
        }
        return request.uses().stream().anyMatch(use -> use.name().equals("write_file"))
                ? ApiReply.use("done", "summary", "wrote it")
                : ApiReply.use("write_file", "path", "hello.txt", "content", "Hello");
    }

    @Test
    void workThatNobodyCouldTestHasAnExitCodeOfItsOwn() throws Exception {
        try (StubApi api = StubApi.start(MaestroCommandIT::plays)) {
            configure(api.baseUrl());
            Path file = own.resolve("config.json");
            String settings = Files.readString(file)
                    .replace("\"tests\": { \"command\": \"test -f hello.txt\" },", "")
                    .replace("[\"plan_review\", \"merge\"]", "[]");
            Files.writeString(file, settings);
            Ran ran = end(start("run", directory.resolve("story.md").toString(), "--json"));
            assertThat(ran.exit()).as(ran.err() + ran.out()).isEqualTo(MaestroCommand.UNTESTED);
            JsonNode result = JSON.readTree(ran.out()).path(0);
            assertThat(result.path("outcome").asText()).isEqualTo("MERGED");
            assertThat(result.path("tests").asText()).isEqualTo("UNTESTED");
            assertThat(run("status").out()).contains("merged UNTESTED");
        }
    }

    /** Where the page of the running process is. */
    private URI monitor() throws IOException {
        for (long end = System.nanoTime() + Duration.ofSeconds(60).toNanos(); System.nanoTime() < end; ) {
            Optional<String> line = Files.readAllLines(directory.resolve("err")).stream()
                    .filter(one -> one.startsWith("monitor "))
                    .findFirst();
            if (line.isPresent()) {
                return URI.create(line.get().substring("monitor ".length()));
            }
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("no page; " + Files.readString(directory.resolve("err")));
    }

    @Test
    @Tag("full") // Two lives; the commands of a story are tried, and SpecAgentTest has the lives of a specification.
    void aSpecificationGoesOnAfterAKillUntilSomebodyCancelsIt() throws Exception {
        Path file = Files.writeString(directory.resolve("greetings.md"), "# Greetings\n\nSay hello.\n");
        try (StubApi api = StubApi.start(MaestroCommandIT::plays)) {
            configure(api.baseUrl());
            Process killed = start("spec", file.toString(), "--monitor");
            try {
                HttpResponse<String> page = HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(monitor()).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(page.statusCode()).isEqualTo(200);
                assertThat(page.body()).contains("<html");
                String plan = waiting().path("id").asText();
                assertThat(run("answer", plan, "--changes").err()).contains("needs a message");
                assertThat(run("answer", plan, "--changes", "-m", "Mind the tests")
                                .exit())
                        .isZero();
            } finally {
                killed.destroyForcibly().waitFor();
            }
            Process resumed = start("resume", "--json");
            try {
                assertThat(waiting().path("facts").toString()).contains("and test it");
                Ran cancelled = run("cancel", "greetings", "-m", "not needed", "--as", "alice");
                assertThat(cancelled.exit()).as(cancelled.err()).isZero();
                assertThat(cancelled.out()).contains("greetings is cancelled by alice: not needed.");
                Ran ended = end(resumed);
                assertThat(ended.exit()).as(ended.err()).isEqualTo(MaestroCommand.FAILED);
                JsonNode result = JSON.readTree(ended.out()).path(0);
                assertThat(result.path("specification").asText()).isEqualTo("greetings");
                assertThat(result.path("outcome").asText()).isEqualTo("CANCELLED");
                assertThat(result.path("stories").findValuesAsText("error"))
                        .containsExactly("in PLAN_REVIEW: the story was cancelled by alice: not needed");
            } finally {
                resumed.destroyForcibly().waitFor();
            }
        }
        Ran played = run("replay", "greetings");
        assertThat(played.out()).as(played.err()).contains("greetings-01 is the same.", "nothing was merged");
        Ran late = run("cancel", "greetings", "--json");
        assertThat(late.exit()).isEqualTo(MaestroCommand.TOO_LATE);
        assertThat(JSON.readTree(late.out()).path("status").asText()).isEqualTo("ENDED");
        assertThat(run("cancel", "nothing").err())
                .contains("there is no story and no specification 'nothing' in the record");
        assertThat(run("status").out()).contains("ERROR", "the specification was cancelled by alice: not needed");
    }

    /** Everything in a directory, with mode, owner, size and time. */
    private static Map<String, String> tree(Path directory) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.toList()) {
                tree.put(
                        path.toString(),
                        Files.readAttributes(path, "unix:mode,uid,gid,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS)
                                .toString());
            }
        }
        return tree;
    }

    /** The doctor in another process; it leaves what it finds as it is, and no temporary file. */
    private Ran doctor(String... more) throws Exception {
        Map<String, String> before = tree(project);
        List<String> words = new ArrayList<>(List.of("doctor"));
        words.addAll(List.of(more));
        Ran doctor = end(start(words.toArray(String[]::new)));
        assertThat(tree(project)).isEqualTo(before);
        assertThat(directory.resolve("tmp")).isEmptyDirectory();
        return doctor;
    }

    @Test
    void theDoctorSaysWhatThisMachineHasAndChangesNothing() throws Exception {
        Files.setAttribute(project, "unix:mode", 01777);
        Ran doctor = doctor("--json");
        JsonNode findings = JSON.readTree(doctor.out());
        assertThat(findings.findValuesAsText("subject"))
                .contains("java", "git", "claude", "ANTHROPIC_API_KEY", "project");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("\"detail\" : \"set\"", "git.repository must be set in " + own.resolve("config.json"))
                .doesNotContain(KEY);

        configure("http://127.0.0.1:9");
        Ran down = doctor();
        assertThat(down.exit()).as("as a story would fail").isEqualTo(MaestroCommand.FAILED);
        assertThat(down.out())
                .contains("project repository", "project push", "project forge", "the connection is refused");
        Path settings = own.resolve("config.json");
        Files.writeString(settings, Files.readString(settings).replace("origin.git", "nowhere.git"));
        Ran wrong = doctor();
        assertThat(wrong.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(wrong.out()).contains("FAILED", "nowhere.git");
    }

    @Test
    void theFirstErrorsNameTheKeyAndTheFileAndTheDirectoryOfAPersonStaysAsItIs() throws Exception {
        Files.setAttribute(project, "unix:mode", 01777);
        String story = directory.resolve("story.md").toString();
        Path settings = own.resolve("config.json");
        Ran first = end(start("run", story));
        assertThat(first.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(first.err())
                .contains("git.repository must be set in " + settings)
                .doesNotContain("builder");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(own.resolve(".gitignore")).hasContent("*");

        Files.writeString(settings, "{\"agents\": {\"coder_model\": \"claude-x\"}}");
        assertThat(end(start("run", story)).err())
                .contains("in " + settings + ", $.git.repository: must be set")
                .doesNotContain("builder");
        assertThat(Files.getAttribute(project, "unix:mode")).isEqualTo(040000 | 01777);
        try (Stream<Path> entries = Files.list(project)) {
            assertThat(entries).containsExactly(own);
        }
    }

    @Test
    void nothingIsWrittenByWayOfALinkAndNothingOfAnotherUserIsObeyed() throws Exception {
        String story = directory.resolve("story.md").toString();
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.createSymbolicLink(own, outside);
        assertThat(end(start("run", story)).exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(outside).isEmptyDirectory();

        Files.delete(own);
        Files.createDirectory(own);
        Path settings = Files.writeString(own.resolve("config.json"), "{\"x\": 1}");
        Files.setAttribute(settings, "unix:mode", 0666);
        String refused = "all users of this machine may write to " + settings;
        assertThat(run("doctor").out()).contains(refused);
        assertThat(end(start("run", story)).err()).contains(refused);
        assertThat(run("replay", "1").err()).contains(refused);
        assertThat(own.resolve(".gitignore"))
                .as("in a directory that a person has made")
                .hasContent("*");
        Files.delete(settings);

        Path record = Files.createDirectories(outside.resolve(".maestro")).resolve("maestro.db");
        Files.writeString(record, "");
        Path link = Files.createSymbolicLink(own.resolve(".maestro"), record.getParent());
        for (String command : List.of("status", "inbox")) {
            assertThat(run(command).err()).contains(link + " is a symbolic link");
        }
        assertThat(run("cancel", "1").err()).contains(link + " is a symbolic link");
        assertThat(record).isEmptyFile();
    }

    @Test
    void settingsInTheirFormerPlaceAreToldWhereToGo() throws Exception {
        Path before = Files.writeString(
                Files.createDirectory(project.resolve(".maestro")).resolve("config.json"), "{}");
        String move = "settings are read from " + own.resolve("config.json") + " only: move " + before + " there";
        assertThat(end(start("run", directory.resolve("story.md").toString())).err())
                .contains(move, "--directory .");
        Ran doctor = doctor();
        assertThat(doctor.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(doctor.out()).contains(move);
        assertThat(doctor("--directory", ".").out())
                .contains("read from " + project.resolve("config.json") + " only: move " + before);
    }

    @Test
    void whatIsWrongIsSaidWithAnExitCode() throws IOException {
        Ran none = run("status");
        assertThat(none.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(none.err()).contains("there is no record", "--directory");
        assertThat(run("inbox").err()).contains("there is no record");
        assertThat(run("run", directory.resolve("none.md").toString()).err()).contains("none.md");
        Files.writeString(
                Files.createDirectories(own).resolve("config.json"), "{\"people\": {\"decide\": [\"everything\"]}}");
        Ran wrong = run("run", directory.resolve("story.md").toString());
        assertThat(wrong.exit()).isEqualTo(MaestroCommand.FAILED);
        assertThat(wrong.err()).contains("$.people.decide", "everything");
        assertThat(run("answer", "1", "--approve", "--reject").exit()).isEqualTo(2);
        assertThat(run("nothing").exit()).isEqualTo(2);
        StringWriter script = new StringWriter();
        assertThat(MaestroCommand.line(new PrintWriter(script, true), new PrintWriter(new StringWriter()))
                        .execute("completion"))
                .isZero();
        assertThat(script.toString()).contains("complete -F", "cancel", "replay", "--into");
    }
}
