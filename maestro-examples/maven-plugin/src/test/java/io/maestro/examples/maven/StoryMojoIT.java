package io.maestro.examples.maven;

import static io.maestro.examples.testing.StubApi.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.examples.maven.InnerMaven.Run;
import io.maestro.examples.testing.StubApi;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin as its users run it: by Maven, in a project that names the plugin in its pom.xml. */
class StoryMojoIT {
    private static final String DEPENDENCIES = """
            <dependencies><dependency><groupId>io.maestro</groupId><artifactId>maestro-docker</artifactId><version>%1$s</version></dependency>
              <dependency><groupId>io.maestro</groupId><artifactId>maestro-claude</artifactId><version>%1$s</version></dependency>
            </dependencies>
            """.formatted(InnerMaven.VERSION);
    private static final String KEY = "sk-ant-the-key-of-the-test";
    private static final String STORY = "-Dmaestro.storyFile=stories/hola.md";
    private static final String PLAN = call("submit_plan", "{\"plan\": \"say hello in Spanish\"}");

    private static final String APPROVED =
            call("review_complete", "{\"decision\": \"APPROVED\", \"feedback\": \"fine\"}");
    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>org.example</groupId>
              <artifactId>app</artifactId>
              <version>1</version>
              <packaging>pom</packaging>
              <build>
                <plugins>
                  <plugin>
                    <groupId>io.maestro</groupId>
                    <artifactId>%s</artifactId>
                    <version>%s</version>
                    <configuration>
                      <testCommand>grep Hola greeting.txt</testCommand>
                    </configuration>
                  </plugin>
                </plugins>
              </build>
            </project>
            """.formatted(InnerMaven.PLUGIN, InnerMaven.VERSION);

    private static InnerMaven maven;
    private static Run skipped;

    @TempDir
    Path directory;

    /** The first run copies all that Maven needs: only what comes after it can run at the same time. */
    @BeforeAll
    static void installThePlugin(@TempDir Path directory) throws IOException, InterruptedException {
        maven = new InnerMaven(directory);
        Path project = Files.createDirectory(directory.resolve("project"));
        Files.writeString(project.resolve("pom.xml"), POM);
        skipped = maven.run("story", project, Map.of(), "-Dmaestro.storyFile=nowhere.md", "-Dmaestro.skip");
    }

    @Test
    void aStoryIsMergedIntoTheOriginOfTheProject() throws Exception {
        Path project = project();
        try (StubApi api = StubApi.greeting()) {
            Run run = story(project, api);

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.output())
                    .containsSubsequence(
                            "[INFO] SETUP: ",
                            "[INFO] PLANNING: ",
                            "[INFO]   coder-001 submit_plan (",
                            " ms) ",
                            "[INFO]   architect-001 PLAN_REVIEW APPROVED fine",
                            "[INFO] CODING: ",
                            "[INFO]   coder-001 write_file (",
                            "[INFO] TESTING: ",
                            "[INFO] DONE: ",
                            "[INFO] story hola is MERGED as ",
                            "for 660 tokens, $0.00",
                            "BUILD SUCCESS")
                    .doesNotContain(KEY, "SLF4J", "[WARNING]", "[ERROR]");
            assertThat(api.asked()).hasSize(6).allMatch(request -> request.contains("\"claude-sonnet-5\""));
            assertThat(api.asked().get(0)).contains("Greet in Spanish");
            assertThat(origin("log", "--format=%s", "main")).contains("Merge story hola", "first");
            assertThat(origin("show", "main:greeting.txt")).isEqualTo("¡Hola!");
            assertThat(project.resolve(".maestro/.maestro/maestro.db")).exists();
        }
    }

    /** The project has no test command of its own: the one by default is recorded by an mvn that does nothing else. */
    @Test
    @Full("a Maven more; aStoryIsMergedIntoTheOriginOfTheProject has a test command of its own")
    void theNestedBuildGetsTheOptionsOfTheOuterOne() throws Exception {
        Path project = project();
        Files.writeString(
                project.resolve("pom.xml"), POM.replace("<testCommand>grep Hola greeting.txt</testCommand>", ""));
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Path seen = directory.resolve("seen");
        Path mvn = Files.writeString(bin.resolve("mvn"), "#!/bin/sh\necho \"$@\" >> '" + seen + "'\n");
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
        try (StubApi api = StubApi.greeting()) {
            Run run = maven.run(
                    "story",
                    project,
                    Map.of(
                            "ANTHROPIC_API_KEY",
                            KEY,
                            "ANTHROPIC_BASE_URL",
                            api.url(),
                            "PATH",
                            bin + java.io.File.pathSeparator + System.getenv("PATH")),
                    STORY,
                    "--offline",
                    "-Dmaestro.costPerStory=2");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(Files.readString(seen))
                    .containsPattern("-B -ntp -o -s \\S+settings.xml -Dmaven.repo.local=\\S+repository verify");
        }
    }

    @Full("a Maven more; the settings go the way of those that the other goals have")
    @Test
    void repositoryBranchDirectoryAndModelsCanBeChosen() throws Exception {
        Path project = project();
        git("-C", project.toString(), "remote", "remove", "origin");
        origin("branch", "next", "main");
        try (StubApi api = StubApi.greeting()) {
            Run run = story(
                    project,
                    api,
                    "-Dmaestro.repository=" + directory.resolve("origin.git"),
                    "-Dmaestro.targetBranch=next",
                    "-Dmaestro.directory=" + directory.resolve("elsewhere"),
                    "-Dmaestro.model=claude-x",
                    "-Dmaestro.architectModel=claude-y");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(api.asked().get(0)).contains("\"claude-x\"");
            assertThat(api.asked().get(1)).contains("\"claude-y\"");
            assertThat(origin("log", "--format=%s", "main")).isEqualTo("first");
            assertThat(origin("show", "next:greeting.txt")).isEqualTo("¡Hola!");
            assertThat(directory.resolve("elsewhere/.maestro/maestro.db")).exists();
            assertThat(project.resolve("target")).doesNotExist();
        }
    }

    @Full("a Maven more; but for the file the goal is as that of a story")
    @Test
    void aSpecificationBecomesStoriesThatAreMerged() throws Exception {
        Path project = project();
        Files.writeString(project.resolve("greetings.md"), "# Greetings\n\nThe greeting is Spanish.\n");
        try (StubApi api = new StubApi(
                call("submit_stories", """
                        {"requirements": [{"title": "Greet in Spanish", "description": "The greeting is ¡Hola!",
                          "acceptance_criteria": ["greeting.txt says it"], "dependencies": [], "express": true}]}"""),
                call("write_file", "{\"path\": \"greeting.txt\", \"content\": \"¡Hola!\"}"),
                call("done", "{\"summary\": \"it is in Spanish now\"}"),
                APPROVED,
                APPROVED)) {
            Run run = maven.run(
                    "spec",
                    project,
                    Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", api.url()),
                    "-Dmaestro.specFile=greetings.md");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.output())
                    .containsSubsequence(
                            "greetings SCOPING: ",
                            "Greet in Spanish",
                            "1 of 1 stories are done",
                            "[INFO] specification greetings is COMPLETED, for 550 tokens, $0.00",
                            "BUILD SUCCESS")
                    .doesNotContain(KEY, "SLF4J", "[WARNING]", "[ERROR]");
            assertThat(origin("show", "main:greeting.txt")).isEqualTo("¡Hola!");
        }
    }

    @Full("a Maven more; the command line has the doctor in the short tier")
    @Test
    void theDoctorSaysWhatAStoryNeeds() throws Exception {
        Path project = project();
        try (StubApi api = new StubApi()) {
            Run run = maven.run("doctor", project, Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", api.url()));

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.output())
                    .contains("OK REPOSITORY: ", "OK PUSH: ", " CODER: ", " PRICES: ", " TEST_COMMAND: ", " TOOLS: ")
                    .contains("BUILD SUCCESS")
                    .doesNotContain(KEY, "SLF4J");
            assertThat(api.asked()).isEmpty();
        }
        assertThat(maven.run(
                                "doctor",
                                project,
                                Map.of("ANTHROPIC_API_KEY", KEY),
                                "-Dmaestro.targetBranch=nowhere",
                                "-Dmaestro.directory=other")
                        .output())
                .contains("[ERROR] FAILED REPOSITORY: ", "nowhere", "a story would fail: ", "BUILD FAILURE");
    }

    /** The modes are found among the dependencies that a project adds to the plugin. */
    @Full("the real CLI; the demo's example of the parts has it in the short tier")
    @RequiresClaude
    @Test
    void claudeCodeIsADependencyOfThePlugin() throws Exception {
        Path project = project();
        Files.writeString(project.resolve("pom.xml"), POM.replace("<configuration>", DEPENDENCIES + "<configuration>"));
        Files.writeString(
                project.resolve("config.json"), "{\"claude_code\": {\"program\": \"" + RealClaude.program() + "\"}}");
        String file = project.resolve(".maestro/coder-001/greeting.txt").toString();
        ApiScript coder = ApiScript.calls(request -> new ApiScript.Part(
                request.tools().contains("mcp__maestro__submit_plan")
                        ? List.of(ApiScript.call("mcp__maestro__submit_plan", "plan", "say it in Spanish"))
                        : List.of(
                                ApiScript.call("Read", "file_path", file),
                                ApiScript.call("Write", "file_path", file, "content", "¡Hola!"),
                                ApiScript.call("mcp__maestro__done", "summary", "done")),
                "nothing more to do"));
        ApiScript script = request -> request.tools().contains("review_complete")
                ? ApiReply.use("review_complete", "decision", "APPROVED", "feedback", "fine")
                : coder.reply(request);
        try (var api = io.maestro.testkit.api.StubApi.start(script)) {
            Run run = maven.run(
                    "story",
                    project,
                    Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", api.baseUrl()),
                    STORY,
                    "-Dmaestro.coderMode=claude-code",
                    "-Dmaestro.config=config.json");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.output()).contains("story hola is MERGED as ").doesNotContain(KEY);
            assertThat(api.requests()).anyMatch(request -> !request.sessionId().isEmpty());
        }
        assertThat(origin("show", "main:greeting.txt")).isEqualTo("¡Hola!");
    }

    @Full("the message; the tests of maestro-docker run stories in containers")
    @Test
    void containersAreADependencyOfThePlugin() throws Exception {
        Path project = project();
        Map<String, String> environment = Map.of("ANTHROPIC_API_KEY", KEY, "DOCKER_HOST", "unix:///nowhere.sock");
        Files.writeString(project.resolve("config.json"), "{\"container\": {\"engine\": \"docker\"}}");
        assertThat(maven.run("story", project, environment, STORY, "-Dmaestro.environment=docker")
                        .output())
                .contains("BUILD FAILURE", "maestro-docker");

        Files.writeString(project.resolve("pom.xml"), POM.replace("<configuration>", DEPENDENCIES + "<configuration>"));
        Run run = maven.run("story", project, environment, STORY, "-Dmaestro.config=config.json");
        assertThat(run.output()).contains("BUILD FAILURE", "the engine of docker does not answer");
    }

    @Full("a Maven more; whatIsMissingIsSaid fails a build, too")
    @Test
    void aStoryThatTheArchitectRejectsFailsTheBuildAndSaysWhy() throws Exception {
        Path project = project();
        try (StubApi api = new StubApi(
                PLAN,
                call("review_complete", "{\"decision\": \"REJECTED\", \"feedback\": \"our readers speak English\"}"))) {
            Run run = story(project, api);

            assertThat(run.exit()).as(run.output()).isEqualTo(1);
            assertThat(run.output())
                    .contains("BUILD FAILURE", "story hola is REJECTED: ", "our readers speak English")
                    .doesNotContain(KEY);
            assertThat(origin("log", "--format=%s", "main")).isEqualTo("first");
        }
    }

    @Test
    void whatIsMissingIsSaid() throws Exception {
        Path project = project();
        git("-C", project.toString(), "remote", "remove", "origin");

        assertThat(error(project, STORY)).contains("no git remote 'origin'", "-Dmaestro.repository=URL");
        assertThat(project.resolve("target")).doesNotExist();
    }

    /** A Maven for each. */
    @Test
    @Tag("full")
    void whatElseIsMissingIsSaid() throws Exception {
        Path project = project();
        git("-C", project.toString(), "remote", "remove", "origin");

        assertThat(error(project, "-Dmaestro.storyFile=nowhere.md")).contains("there is no story file", "nowhere.md");
        assertThat(error(project, STORY, "-Dmaestro.repository=origin.git")).contains("ANTHROPIC_API_KEY");
        assertThat(project.resolve("target")).doesNotExist();
    }

    @Test
    void aStoryCanBeSkipped() {
        assertThat(skipped.exit()).as(skipped.output()).isZero();
        assertThat(skipped.output()).contains("[INFO] skipped");
    }

    private static String error(Path project, String... arguments) throws IOException, InterruptedException {
        Run run = maven.run("story", project, Map.of(), arguments);
        assertThat(run.exit()).as(run.output()).isEqualTo(1);
        return run.output()
                .lines()
                .filter(line -> line.contains("[ERROR]"))
                .findFirst()
                .orElseThrow();
    }

    private static Run story(Path project, StubApi api, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(STORY));
        all.addAll(List.of(arguments));
        return maven.run(
                "story",
                project,
                Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", api.url()),
                all.toArray(String[]::new));
    }

    /** A small project whose origin is a bare repository. */
    private Path project() throws IOException, InterruptedException {
        Path project =
                Files.createDirectories(directory.resolve("project/stories")).getParent();
        Files.writeString(project.resolve("pom.xml"), POM);
        Files.writeString(project.resolve("stories/hola.md"), "# Greet in Spanish\n\nThe greeting is ¡Hola!\n");
        Files.writeString(project.resolve("greeting.txt"), "Hello!");
        Files.writeString(project.resolve(".gitignore"), "target/\n");
        git("init", "--quiet", "--initial-branch=main", project.toString());
        git("-C", project.toString(), "add", "--all");
        git("-C", project.toString(), "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "first");
        git("clone", "--quiet", "--bare", project.toString(), "origin.git");
        git(
                "-C",
                project.toString(),
                "remote",
                "add",
                "origin",
                directory.resolve("origin.git").toString());
        return project;
    }

    private String origin(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-C", "origin.git"));
        all.addAll(List.of(arguments));
        return git(all.toArray(String[]::new));
    }

    private String git(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Run run = InnerMaven.start(directory, Map.of(), command);
        assertThat(run.exit()).as("%s: %s", command, run.output()).isZero();
        return run.output().strip();
    }
}
