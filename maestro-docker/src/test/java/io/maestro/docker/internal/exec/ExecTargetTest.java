package io.maestro.docker.internal.exec;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.ClientCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** With a script in place of the client. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class ExecTargetTest {
    @TempDir
    Path directory;

    private ExecTarget target(String script) throws IOException {
        Path program = Files.writeString(directory.resolve("client"), "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return new ExecTarget(
                ClientCommand.of(
                        DockerHost.builder().program(program.toString()).build()),
                "box",
                false);
    }

    /** Its commands end first. */
    @Test
    void aContainerWhoseEndIsNotWrittenDownYetIsAskedForOnceMore() throws IOException {
        ExecTarget target = target("echo x >>'" + directory + "/asked'; test $(wc -l <'" + directory
                + "/asked') -lt 3 && echo running || echo exited");

        assertThat(target.lost("it is gone", ""))
                .isInstanceOf(CommandLostException.class)
                .hasMessageContaining("'exited'");
    }

    @Test
    void oneThatGoesOnIsSaidToRun() throws IOException {
        assertThat(target("echo running").lost("it is gone", "")).hasMessageContaining("'running'");
    }
}
