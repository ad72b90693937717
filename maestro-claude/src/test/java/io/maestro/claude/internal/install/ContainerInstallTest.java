package io.maestro.claude.internal.install;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeFinder;
import io.maestro.claude.ClaudeFinder.Installed;
import io.maestro.claude.ClaudeFinder.Source;
import io.maestro.claude.ClaudeMissingException;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Containers as agents have them: another user, nothing to be written, no capabilities, no network. */
@RequiresEngine
@RequiresClaude
class ContainerInstallTest {
    private static final String BOUND = "/run/maestro-programs";

    private static TestContainer agent(String image, String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--user",
                "1000:1000",
                "--read-only",
                "--cap-drop",
                "ALL",
                "--security-opt",
                "no-new-privileges",
                "--network",
                "none",
                "--tmpfs",
                "/workspace:mode=1777",
                "--tmpfs",
                "/tmp:mode=1777,exec",
                "--tmpfs",
                "/state:exec,uid=1000,gid=1000",
                "--env",
                "PATH=/state/bin:/usr/local/bin:/usr/bin:/bin"));
        options.addAll(List.of(more));
        return new TestContainer("docker", image, options.toArray(String[]::new));
    }

    private static String bind() {
        Map<String, Path> files = ClaudeFinder.boundFiles(RealClaude.program());
        assertThat(files).hasSize(1);
        return "type=bind,source=" + RealClaude.program() + ",target=" + BOUND + "/"
                + files.keySet().iterator().next() + ",readonly";
    }

    /** What the agent has put first on its PATH is not run, and what is run it cannot change. */
    @Test
    void theHostsBinaryIsRunAndNotTheAgents() {
        try (TestContainer container = agent(TestContainer.DEBIAN, "--mount", bind());
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            ExecResult planted = executor.run(ExecRequest.shell("mkdir -p /state/bin && cd /state/bin"
                            + " && printf '#!/bin/sh\\necho ran >>/tmp/witness; echo \"9.9.9 (Claude Code)\"\\n' >claude"
                            + " && chmod 755 claude && echo 245 >claude.from; (: >" + BOUND + "/claude-1) 2>&1;"
                            + " (rm -f " + BOUND + "/claude-1) 2>&1; command -v claude")
                    .build());
            assertThat(planted.stdout().text()).contains("Read-only", "/state/bin/claude");

            Installed found = ClaudeFinder.on(executor)
                    .hostProgram(RealClaude.program())
                    .boundAt(BOUND)
                    .build()
                    .ensure();

            assertThat(found.source()).isEqualTo(Source.HOST);
            assertThat(found.program()).isEqualTo(BOUND + "/claude-1");
            // Without one of the host the agent's is not taken, either.
            assertThatThrownBy(() -> ClaudeFinder.on(executor).build().ensure())
                    .isInstanceOf(ClaudeMissingException.class)
                    .hasMessageContaining("belongs to user 1000");
            assertThatThrownBy(() -> ClaudeFinder.on(executor)
                            .program("/tmp/../state/bin/claude")
                            .build()
                            .ensure())
                    .hasMessageContaining("belongs to user 1000");
            assertThat(container.sh("ls /tmp")).doesNotContain("witness");
        }
    }

    @Test
    @Full("a container more")
    void aGlibcBinaryIsRefusedWhereThereIsNone() {
        try (TestContainer container = agent(TestContainer.BUSYBOX, "--mount", bind());
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            assertThatThrownBy(() -> ClaudeFinder.on(executor)
                            .hostProgram(RealClaude.program())
                            .boundAt(BOUND)
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeMissingException.class)
                    .hasMessageContaining("claude on the PATH: not tried, there is none")
                    .hasMessageContaining("it needs glibc")
                    .hasMessageContaining("the sandbox has neither glibc nor musl")
                    .hasMessageContaining("ClaudeFinder.dockerfile()");
        }
    }

    /** A version check as root has made the state directory of another user root's. */
    @Test
    @Full("a container more")
    void whoeverChecksTheVersionNothingIsLeft() {
        try (TestContainer container = new TestContainer(
                        "docker",
                        TestContainer.DEBIAN,
                        "--network",
                        "none",
                        "-v",
                        RealClaude.program() + ":/usr/local/bin/claude:ro");
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            container.sh("mkdir -p /home/dev && chown 1000:1000 /home/dev && touch /since");
            for (String user : List.of("0:0", "1000:1000")) {
                Installed installed =
                        ClaudeFinder.on(executor).user(user).build().ensure();

                assertThat(installed.program()).isEqualTo("/usr/local/bin/claude");
                assertThat(installed.source()).isEqualTo(Source.FOUND);
            }
            assertThat(container.sh("find / -xdev -newer /since -not -path '/proc/*' -not -path '/dev/*' -type f;"
                            + " find / -xdev -name '.claude*'"))
                    .isEmpty();
        }
    }
}
