package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The standard purposes for real, on a Debian whose packages take the place of the images that nobody can fetch here. */
@RequiresEngine
@Full("What a package manager installs takes up to a minute")
class PurposesTest {
    private static final String DEBIAN = "maestro-test/debian:latest";

    /** By purpose a program that is written, built and run. CI tries the first; {@code -Dnumber=6} tries all. */
    private static final List<Map.Entry<String, String>> PROGRAMS = List.of(
            Map.entry(
                    "general",
                    "printf 'all:\\n\\t@expr 6 \\\\* 7\\n' > Makefile && make && git --version && jq --version"),
            Map.entry("python", "echo 'print(6*7)' > a.py && python3 a.py && python3 -m venv v && git --version"),
            Map.entry("node", "echo 'console.log(6*7)' > a.js && node a.js && npm --version"),
            Map.entry("go", "printf 'package main\\nfunc main() { println(6 * 7) }\\n' > a.go && go run a.go 2>&1"),
            Map.entry(
                    "rust",
                    "cargo new -q one && cd one && printf 'fn main() { println!(\"{}\", 6 * 7); }' > src/main.rs && cargo run -q"),
            Map.entry(
                    "java",
                    "printf 'class A { public static void main(String[] a) { System.out.println(6 * 7); } }' > A.java"
                            + " && javac A.java && java A && mvn -v"));

    @TempDir
    Path directory;

    @Test
    void whatAPurposeIsForWorksAndTheSecondContainerIsThereAtOnce() {
        ContainerRules.Builder rules = ContainerRules.builder();
        Purpose.STANDARD.forEach(purpose -> rules.purpose(
                new Purpose(purpose.name(), DEBIAN, purpose.setUp(), purpose.caches(), purpose.trusted())));
        try (Containers containers = Containers.on(DockerHost.local())
                .projectDirectory(directory.resolve("project"))
                .rules(rules.build())
                .host(new HostUser(Map.of(), null))
                .open()) {
            for (Map.Entry<String, String> program : PROGRAMS.subList(0, Campaign.number(1))) {
                containers.clearCaches(Optional.of(program.getKey()));
                ContainerRequest request =
                        ContainerRequest.builder().purpose(program.getKey()).build();
                long begin = System.nanoTime();
                ProvisionedContainer first = containers.create(request);
                Duration cold = Duration.ofNanos(System.nanoTime() - begin);
                assertThat(first.report().orElseThrow().succeeded())
                        .as(first.report().toString())
                        .isTrue();
                ExecResult result = first.run(ExecRequest.shell(program.getValue())
                        .timeLimit(Duration.ofMinutes(5))
                        .build());
                assertThat(result.stdout().text())
                        .as(program.getKey() + ": " + result.stderr().text())
                        .contains("42");
                assertThat(result.succeeded()).as(result.stderr().text()).isTrue();
                first.destroy();
                String image = "";
                // Other tests clear the caches of all purposes on this engine, maybe in between.
                for (int tries = 0; tries < 3 && !image.endsWith("installed before"); tries++) {
                    begin = System.nanoTime();
                    ProvisionedContainer second = containers.create(request);
                    Duration warm = Duration.ofNanos(System.nanoTime() - begin);
                    System.out.printf(
                            "%s: the first took %d ms, the next %d ms%n",
                            program.getKey(), cold.toMillis(), warm.toMillis());
                    image = second.report()
                            .orElseThrow()
                            .step("image")
                            .orElseThrow()
                            .detail();
                    second.destroy();
                }
                assertThat(image).endsWith("installed before");
                containers.clearCaches(Optional.of(program.getKey()));
            }
        }
    }
}
