package io.maestro.project.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectProgramsTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '~',
            value = {
                "m --all@m",
                "\"m\" x@m",
                "'m' x@m",
                "A=1 B='x y' m@m",
                "( m )@m",
                "{ m; }@m",
                "! m@m",
                "exec m@m",
                "env A=1 m@env m",
                "env -u A m@env m",
                "time m@time m",
                "nice -n 5 m@nice m",
                "timeout -k 5 60 m@timeout m",
                "nohup nice m &@nohup nice m",
                "sh -c 'm x | n'@m n",
                "bash -ec \"m x\"@bash m",
                "env bash -o pipefail -c 'A=1 m'@env bash m",
                "m 2>&1 >out </dev/null | n &>o@m n",
                "m|n;o&&p||q&r@m n o p q r",
                "m # n; o@m",
                "cd x && m@m",
                "./m; ./n@./m",
                "A=1 ./m@./m",
                "${M:-x} m@",
                "$(n; o) m@",
                "echo 'a; b' \"c; d\" $(e; f) `g; h`@",
            })
    void theProgramsOfALine(String line, String programs) {
        assertThat(String.join(" ", ProjectPrograms.of(line, true))).isEqualTo(programs == null ? "" : programs);
    }

    @Test
    void aHereDocumentIsNotRead() {
        assertThat(ProjectPrograms.of("m <<end\nn\nend", true)).containsExactly("m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "# m", "  # m\n\t#n", "A=1", ";", "> out"})
    void aLineThatRunsNothing(String line) {
        assertThat(ProjectPrograms.isEmpty(line)).isTrue();
        assertThat(ProjectPrograms.isEmpty(line + "\ntrue")).isFalse();
    }

    @Test
    void whatAScriptNeedsIsLookedForToo() throws Exception {
        Executor executor = LocalExecutor.builder(directory).build();
        for (String head : List.of("/no/such", "/usr/bin/env no-such-4711", " /no/such -x", "/bin/sh\r")) {
            script("#!" + head + "\n");
            assertThat(ProjectPrograms.missing(executor, List.of("sh", "./s")))
                    .as(head)
                    .isPresent();
        }
        for (String text : List.of("", "exit", "#!/bin/sh\n", "#! /usr/bin/env sh\n", "#!/usr/bin/env -S sh -x\n")) {
            script(text);
            assertThat(ProjectPrograms.missing(executor, List.of("cat", "./s", "if")))
                    .as(text)
                    .isEmpty();
        }
        assertThat(ProjectPrograms.missing(executor, List.of("./s", "./none"))).contains("./none");
        Files.createDirectory(directory.resolve("d"));
        assertThat(ProjectPrograms.missing(executor, List.of("./d"))).contains("./d");
    }

    private void script(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("s"), text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
