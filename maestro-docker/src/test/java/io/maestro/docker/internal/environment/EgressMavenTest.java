package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A project that fetches all that it needs from a repository of packages, in a container that reaches nothing else. */
@RequiresEngine
@Full("It fetches half of Maven; that names are reached is seen in EgressTest.")
class EgressMavenTest {
    private static final String IMAGE = "maestro-test/egress-maven";
    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>sample</groupId><artifactId>sample</artifactId><version>1</version>
              <properties>
                <maven.compiler.source>17</maven.compiler.source>
                <maven.compiler.target>17</maven.compiler.target>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <dependencies>
                <dependency>
                  <groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.17</version>
                </dependency>
              </dependencies>
            </project>
            """;

    @TempDir
    Path directory;

    @Test
    void mavenBuildsByThePresetAndTheNextStoryDownloadsNothing() throws Exception {
        Optional<Path> maven = maven();
        assumeThat(maven).as("a Maven of this machine").isPresent();
        TestImages images = TestImages.ofDocker();
        // Java and Maven of this machine, so that whatever it trusts is trusted.
        Path context = Files.createDirectory(directory.resolve("context"));
        copy(Path.of(System.getProperty("java.home")), context.resolve("java"));
        copy(maven.get(), context.resolve("maven"));
        Files.writeString(context.resolve("Dockerfile"), """
                FROM %s
                COPY java /opt/java
                COPY maven /opt/maven
                ENV JAVA_HOME=/opt/java PATH=/opt/java/bin:/opt/maven/bin:/usr/local/bin:/usr/bin:/bin
                """.formatted(TestContainer.DEBIAN));
        run(List.of("docker", "build", "--quiet", "--tag", IMAGE, context.toString()));
        Bench bench = new Bench(directory.resolve("project"), images, TestContainer.DEBIAN);
        try {
            bench.write("pom.xml", POM);
            bench.write("src/main/java/sample/Sample.java", """
                    package sample;

                    public class Sample {
                        static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(Sample.class);
                    }
                    """);
            // Where the name leads to a mirror in a private network, the host says so.
            DockerProject project = bench.open(Map.of(
                    "image",
                    IMAGE,
                    "tmpfs_mb",
                    1024,
                    "caches",
                    Map.of("maven", "~/.m2"),
                    // Java asks the file of passwords for its home directory, and not HOME.
                    "variables",
                    Map.of("MAVEN_OPTS", "-Duser.home=/tmp"),
                    "network",
                    Map.of("allow", List.of("maven"), "mirrors", List.of("repo.maven.apache.org"))));
            StoryEnvironment environment = Bench.environment(project, bench.place("story-1"));
            environment.enter(Phase.CODING);
            ExecResult built = environment
                    .executor()
                    .run(ExecRequest.shell("mvn -B -ntp verify")
                            .timeLimit(Duration.ofMinutes(8))
                            .build());
            assertThat(built.stdout().text() + built.stderr().text()).contains("BUILD SUCCESS");
            assertThat(bench.workspace.resolve("target/sample-1.jar")).exists();
            assertThat(Bench.sh(environment, "ls /sys/class/net")).isEqualTo("lo");
            environment.close();
            StoryEnvironment next = Bench.environment(project, bench.place("story-2"));
            next.enter(Phase.CODING);
            ExecResult again = next.executor()
                    .run(ExecRequest.shell("rm -r target && mvn -B verify")
                            .timeLimit(Duration.ofMinutes(8))
                            .build());
            assertThat(again.stdout().text()).contains("BUILD SUCCESS").doesNotContain("Download");
        } finally {
            bench.close();
            images.cli().run("image", "rm", "--force", IMAGE);
        }
    }

    private static Optional<Path> maven() throws IOException {
        for (String part : System.getenv("PATH").split(File.pathSeparator)) {
            Path program = Path.of(part, "mvn");
            if (Files.isExecutable(program)) {
                return Optional.of(program.toRealPath().getParent().getParent());
            }
        }
        return Optional.empty();
    }

    /** With what links lead to: packages of systems consist of them. */
    private static void copy(Path from, Path to) throws Exception {
        Files.createDirectories(to);
        try (Stream<Path> all = Files.list(from)) {
            for (Path one : all.toList()) {
                if (!List.of("jmods", "docs", "man", "demo")
                        .contains(one.getFileName().toString())) {
                    // A package of sources that is not installed leaves a link to nothing, which it complains about.
                    ended(List.of("cp", "-rL", one.toString(), to.toString()));
                }
            }
        }
    }

    private static void run(List<String> command) throws Exception {
        assertThat(ended(command)).as("%s", command).isZero();
    }

    private static int ended(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("%s ends", command).isTrue();
        return process.exitValue();
    }
}
