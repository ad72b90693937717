package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.testing.GitTrap;
import io.maestro.docker.testing.RequiresEngine;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No call of a client runs a program of the machine over what it builds from. */
class ClientEnvironmentTest {
    @TempDir
    Path directory;

    /** A call, as a client in the real one's place saw it. */
    private record Call(String arguments, List<String> lines) {
        boolean builds() {
            return (" " + arguments + " ").contains(" build ") || arguments.contains(" up ");
        }
    }

    /** Answers as an engine with one image would, and writes down what it was called with. */
    private Path client() throws IOException {
        Path calls = Files.createDirectories(directory.resolve("calls"));
        Path program = Files.createDirectories(directory.resolve("bin")).resolve("docker");
        Files.writeString(program, """
                #!/bin/sh
                f=$(mktemp %s/XXXXXXXX)
                { echo "$*"; pwd; env; [ -z "$GIT_CONFIG_GLOBAL" ] || cat "$GIT_CONFIG_GLOBAL"; } > $f
                case "$*" in
                *"context show"*) echo default;;
                *inspect*) echo '[{"Id":"sha256:%s","RepoTags":["a"],"Config":{"Labels":null}}]';;
                *info*) echo '{"ServerVersion":"99.0.0","CgroupVersion":"1"}';;
                *" config "*) echo '{"services":{"a":{"build":{"context":"."}}}}';;
                esac
                while [ $# -gt 0 ]; do [ "$1" != --iidfile ] || echo sha256:%s > "$2"; shift; done
                """.formatted(calls, "0".repeat(64), "0".repeat(64)));
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<Call> calls() throws IOException {
        List<Call> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("calls"))) {
            for (Path file : files.toList()) {
                List<String> lines = Files.readAllLines(file);
                all.add(new Call(lines.get(0), lines.subList(1, lines.size())));
            }
        }
        return all;
    }

    @Test
    void everyCallIsToldToAskNoGitAndOneThatBuildsRunsInADirectoryOfItsOwn() throws Exception {
        Path own = Files.createDirectory(directory.resolve("own"));
        Path context = Files.createDirectory(directory.resolve("context"));
        // The name makes podman run a preprocessor.
        Files.writeString(context.resolve("x.in"), "FROM a\n");
        DockerCli cli =
                new DockerCli(DockerHost.builder().program(client().toString()).build()).in(own);
        Engine engine = new Engine(cli, new Instance(Instance.newId(), Instance.newId(), directory));
        engine.build(ImageBuild.builder(context).dockerfile(Path.of("x.in")).build());
        engine.derive("a", List.of("true"));
        BootstrapImage.ensure(engine, "a");
        ClientStream.run(cli, "a copy", List.of("cp", "a", "-"), Duration.ofMinutes(1), OutputStream::close, in -> "");

        List<Call> calls = calls();
        assertThat(calls).hasSizeGreaterThan(6);
        assertThat(calls.stream().filter(Call::builds)).isNotEmpty();
        assertThat(calls).allSatisfy(call -> {
            assertThat(call.lines).contains("BUILDX_GIT_INFO=false", "GIT_CONFIG_VALUE_0=explicit");
            if (call.builds()) {
                assertThat(call.lines).contains("\tbareRepository = explicit");
                assertThat(call.arguments).contains("--file " + call.lines.get(0) + "/Dockerfile ");
                assertThat(call.lines.get(0)).startsWith(own.toRealPath() + "/maestro-build-");
            }
        });
        assertThat(own).isEmptyDirectory();
    }

    /** What newer clients leave of the environment must be enough for git itself. */
    @Test
    void gitItselfTakesNoTrapForARepository() throws Exception {
        GitTrap trap = new GitTrap(directory.resolve("canary"));
        Path context = trap.in(Files.createDirectory(directory.resolve("context")));
        git(context, Map.of());
        assertThat(trap.wentOff()).as("the trap works").isTrue();
        trap.reset();
        git(context, ClientCommand.building(Files.createDirectory(directory.resolve("own"))));
        git(context, ClientCommand.SWITCHES);
        assertThat(trap.wentOff()).isFalse();
    }

    private static void git(Path context, Map<String, String> environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("git", "show", "--format=%H", "HEAD", "--quiet", "--")
                .directory(context.toFile())
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getInputStream().readAllBytes();
        process.waitFor();
    }

    @RequiresEngine
    @Test
    void aContextThatIsARepositoryToGitRunsNothing() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            GitTrap trap = new GitTrap(directory.resolve("canary"));
            Path context = trap.in(test.directory("trap"));
            Files.writeString(context.resolve("Dockerfile"), "FROM " + test.kind.busybox() + "\n");
            test.engine.build(ImageBuild.builder(context).build());
            assertThat(trap.wentOff()).isFalse();
        }
    }
}
