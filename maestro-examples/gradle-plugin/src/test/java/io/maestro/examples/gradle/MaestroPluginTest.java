package io.maestro.examples.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.examples.testing.GreetingProject;
import io.maestro.examples.testing.Run;
import io.maestro.examples.testing.StubApi;
import io.maestro.testing.Full;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin in a build script, run by Gradle's own main class. */
@Full("needs 178 MB of Gradle, and 15 seconds")
class MaestroPluginTest {
    @TempDir
    Path directory;

    @Test
    void aStoryIsMergedAndAToolBesideThePluginIsFound() throws Exception {
        GreetingProject project = GreetingProject.in(directory);
        Files.writeString(project.directory().resolve("settings.gradle"), "rootProject.name = 'greeting'\n");
        try (InputStream script = MaestroPluginTest.class.getResourceAsStream("build.gradle")) {
            Files.copy(script, project.directory().resolve("build.gradle"));
        }
        InnerGradle gradle = new InnerGradle(directory);
        try (StubApi api = StubApi.greeting(StubApi.call("ticket_read", "{\"key\": \"APP-42\"}"))) {
            Run run = gradle.run(
                    project.directory(),
                    Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.url()),
                    "-Porigin=" + project.origin(),
                    "story",
                    "--file=stories/hola.md");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.out())
                    .containsSubsequence(
                            "PLANNING",
                            "ticket_read",
                            "TESTING",
                            "DONE",
                            "story hola is MERGED as ",
                            "BUILD SUCCESSFUL");
            assertThat(run.output()).doesNotContain("sk-ant-", "SLF4J", "WARN", "Deprecated");
            assertThat(api.asked().get(1)).contains("Greet in the user's language");
            assertThat(project.greeting()).isEqualTo("¡Hola!");
            assertThat(project.directory().resolve(".maestro/.maestro/maestro.db"))
                    .exists();
        }

        Run without = gradle.run(project.directory(), Map.of(), "-Porigin=nowhere", "story", "--file=stories/hola.md");
        assertThat(without.exit()).as(without.output()).isEqualTo(1);
        assertThat(without.err()).contains("Execution failed for task ':story'", "ANTHROPIC_API_KEY");
    }
}
