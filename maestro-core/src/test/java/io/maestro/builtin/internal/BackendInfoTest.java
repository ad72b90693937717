package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.ExecResult;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectTests;
import io.maestro.runtime.internal.PhaseNetwork;
import io.maestro.testing.Full;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolAudience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendInfoTest {
    @TempDir
    Path directory;

    private ToolBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void itSaysWhatThereIsAndWhereItComesFrom() throws IOException {
        bench.file("Makefile", "build:\n");
        bench.file("src/a.c", "");
        bench.file("src/b.c", "");
        bench.file("ui/package.json", "{\"scripts\": {\"lint\": \"x\"}}");
        bench.file("ui/a.ts", "");
        bench.file("ignored/a.rs", "");
        bench.file(".gitignore", "ignored\n");
        bench.services.put(
                ProjectTests.class,
                new ProjectTests(new ProjectCommands(null, null, "check-style", null, Duration.ofSeconds(30))));
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "backend_info").text()).isEqualTo("""
            Build files:\s
            - the root: Makefile (Make)
            - ui: package.json (npm)
            Files by language: C 2, TypeScript 1
            Commands in the root:
            - setup: none; the host sets one by setup.command
            - build: make build (from Makefile)
            - lint: check-style (set by lint.command)
            - tests: make test (from Makefile)
            Commands in ui (argument directory): lint: npm run lint; tests: [ -d node_modules ] || npm install --no-audit --no-fund && npm test\
            """);
    }

    @Full("starts every tool that is here")
    @Test
    void aCoderLearnsWhichToolsThereAre() {
        String text = bench.callAs(ToolAudience.CODER_PLANNING, "backend_info").text();
        assertThat(text)
                .startsWith("Build files: none that is known")
                .contains(
                        "Files by language: none that is known",
                        "\nTools where commands run:\n- ",
                        "\n- git: git version ")
                .doesNotContain("Network");
        assertThat(text.lines()).hasSizeLessThan(25);
        assertThat(bench.record.last().exitCode()).isNull();
    }

    @Test
    void itSaysWhetherTheNetworkIsOpen() {
        bench.executor = ToolBench.ending(ExecResult.Ending.TIMED_OUT, OptionalInt.empty(), "java: 17\ngo: -\n");
        bench.services.put(PhaseNetwork.class, (PhaseNetwork) phase -> switch (phase) {
            case ARCHITECT -> NetworkAccess.OPEN;
            case CODING -> NetworkAccess.LISTED;
            default -> NetworkAccess.NONE;
        });
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "backend_info").text())
                .contains("Network: Maestro does not close it to commands in this phase");
        assertThat(bench.call("backend_info").text())
                .contains("- java: 17\n- not there: go\n- the others were not asked: it took too long\n")
                .endsWith("Network: closed to commands in this phase but for the names that the host has listed");
        assertThat(bench.callAs(ToolAudience.CODER_PLANNING, "backend_info").text())
                .endsWith("Network: closed to commands in this phase");
    }
}
