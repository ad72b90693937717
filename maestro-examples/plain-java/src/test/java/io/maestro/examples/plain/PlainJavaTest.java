package io.maestro.examples.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.examples.testing.GreetingProject;
import io.maestro.examples.testing.Jdks;
import io.maestro.examples.testing.Run;
import io.maestro.examples.testing.StubApi;
import io.maestro.testing.Full;
import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hosts that are started by {@code java}, on the JDK of the build and on the newest one of the machine: no JDK warns. */
class PlainJavaTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path ONE_STORY = MODULE.resolve("OneStory.java");
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    /** What the host needs: Maestro, SQLite and an SLF4J provider, and nothing of the tests. */
    private static final List<String> LIBRARIES = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
            .filter(entry -> !entry.endsWith("test-classes") && !entry.endsWith("-tests.jar"))
            .filter(entry -> !entry.matches(".*/(example-testing|testing)[-/].*"))
            .filter(
                    entry -> !entry.matches(
                            ".*/(org/junit|org/assertj|org/mockito|net/bytebuddy|org/opentest4j|org/apiguardian|org/objenesis)/.*"))
            .toList();

    @TempDir
    Path directory;

    @Test
    void theSingleFileCompilesAndNamesTheVersionsOfTheBuild() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of("-Xlint:all", "-d", directory.toString(), "-cp", libraries()),
                            null,
                            files.getJavaFileObjects(ONE_STORY))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
        assertThat(messages.toString()).doesNotContain("OneStory.java");

        Matcher dependency =
                Pattern.compile("(?m)^//DEPS [\\w.]+:([\\w-]+):(\\S+)$").matcher(Files.readString(ONE_STORY));
        List<String> named = new ArrayList<>();
        while (dependency.find()) {
            named.add(dependency.group(1));
            if (!dependency.group(1).equals("maestro-core")) {
                assertThat(libraries()).contains(dependency.group(1) + "-" + dependency.group(2) + ".jar");
            }
        }
        assertThat(named).containsExactly("maestro-core", "sqlite-jdbc", "slf4j-simple");
    }

    @Full("a JVM of its own; the short tier compiles the file")
    @ParameterizedTest
    @MethodSource("jdks")
    void theSingleFileRunsAStory(Path jdk) throws Exception {
        Run run = story(jdk, "-cp", libraries(), ONE_STORY.toString());

        assertThat(run.out()).contains("MERGED ");
    }

    @Full("a JVM of its own; the short tier compiles the module")
    @ParameterizedTest
    @MethodSource("jdks")
    void aHostRunsOnTheModulePath(Path jdk) throws Exception {
        Run run = story(
                jdk,
                "--enable-native-access=org.xerial.sqlitejdbc",
                "--module-path",
                libraries(),
                "--module",
                "io.maestro.examples.plain/" + Host.class.getName());

        assertThat(run.out()).contains("MERGED from module io.maestro.examples.plain");
    }

    @Full("a JVM of its own; the demo runs on the class path, too")
    @ParameterizedTest
    @MethodSource("jdks")
    void aHostRunsOnTheClassPath(Path jdk) throws Exception {
        Run run = story(jdk, "-cp", libraries(), Host.class.getName());

        assertThat(run.out()).contains("MERGED from unnamed module");
    }

    private Run story(Path jdk, String... command) throws Exception {
        GreetingProject project = GreetingProject.in(directory);
        try (StubApi api = StubApi.greeting()) {
            List<String> arguments = new ArrayList<>();
            if (!List.of(command).contains("--module-path")) {
                arguments.add("--enable-native-access=ALL-UNNAMED");
            }
            arguments.addAll(List.of(command));
            arguments.addAll(
                    List.of(project.origin().toString(), project.story().toString(), GreetingProject.TEST_COMMAND));
            Run run = Run.java(
                    jdk,
                    directory,
                    Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.url()),
                    arguments.toArray(String[]::new));

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.err()).doesNotContainIgnoringCase("warning").doesNotContain("WARN", "SLF4J");
            assertThat(project.greeting()).isEqualTo("¡Hola!");
            return run;
        }
    }

    private static String libraries() {
        return String.join(File.pathSeparator, LIBRARIES);
    }

    static Stream<Path> jdks() throws Exception {
        return Jdks.ownAndNewest();
    }
}
