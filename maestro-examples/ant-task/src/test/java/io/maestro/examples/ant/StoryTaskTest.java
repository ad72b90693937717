package io.maestro.examples.ant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.examples.testing.GreetingProject;
import io.maestro.examples.testing.Run;
import io.maestro.examples.testing.StubApi;
import io.maestro.testing.Full;
import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.tools.ant.BuildException;
import org.apache.tools.ant.Project;
import org.apache.tools.ant.ProjectHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The task in a build file: in an Ant of its own, which has no jars but Ant's, and through Ant's API. */
class StoryTaskTest {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    Path directory;

    @Full("an Ant of its own; the short tier has the same task through Ant's API, as far as no model is asked")
    @ParameterizedTest(name = "Maestro in Ant''s lib: {0}")
    @ValueSource(booleans = {false, true})
    void aStoryIsMergedAndAToolOfTheTaskdefIsFound(boolean inLib) throws Exception {
        GreetingProject project = GreetingProject.in(directory);
        Path build = build(project.directory());
        try (StubApi api = StubApi.greeting(StubApi.call("ticket_read", "{\"key\": \"APP-42\"}"))) {
            Run ant = Run.java(
                    project.directory(),
                    Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.url()),
                    "-cp",
                    classPath(true, inLib),
                    "org.apache.tools.ant.Main",
                    "-f",
                    build.toString(),
                    "-Dlib=" + classPath(false, inLib),
                    "-Dorigin=" + project.origin(),
                    "story");

            assertThat(ant.exit()).as(ant.output()).isZero();
            assertThat(ant.out())
                    .containsSubsequence(
                            "[maestro:story] ",
                            "PLANNING",
                            "ticket_read",
                            "TESTING",
                            "DONE",
                            "[maestro:story] story hola is MERGED as ",
                            "[echo] merged as ",
                            "BUILD SUCCESSFUL");
            assertThat(ant.output()).doesNotContain("sk-ant-", "SLF4J", "WARN");
            assertThat(api.asked().get(1)).contains("Greet in the user's language");
            assertThat(project.greeting()).isEqualTo("¡Hola!");
            assertThat(project.directory().resolve(".maestro/.maestro/maestro.db"))
                    .exists();
        }
    }

    @Test
    void whatIsMissingIsSaidWithThePlaceInTheBuildFile() throws Exception {
        Project project = new Project();
        project.init();
        project.setProperty("lib", classPath(false, false));
        ProjectHelper.configureProject(project, build(directory).toFile());

        assertThatThrownBy(() -> project.executeTarget("incomplete"))
                .isInstanceOf(BuildException.class)
                .asString()
                .contains("build.xml:10: ", "<maestro:story> needs the attribute repository");
    }

    private static Path build(Path target) throws Exception {
        Path build = target.resolve("build.xml");
        try (InputStream in = StoryTaskTest.class.getResourceAsStream("build.xml")) {
            Files.copy(in, build);
        }
        return build;
    }

    /** What Ant has itself, or what the taskdef adds to it: the task, tools, and all else where Maestro is not in Ant's lib. */
    private static String classPath(boolean ofAnt, boolean maestroInLib) {
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .filter(entry -> ofAnt == (entry.contains("/org/apache/ant/") || maestroInLib && !ofTaskdef(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean ofTaskdef(String entry) {
        return entry.contains("ant-task") || entry.contains("ticket-tool");
    }
}
