package io.maestro.docker.internal.exec;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.internal.ClientCommand;
import io.maestro.exec.ExecRequest;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the other end of a channel says, in the order that a real one has only when a machine is busy. */
class ChannelTest {
    /** A client whose container's worker was killed while it waited: its end and the next command's beginning come at once. */
    private static final String CLIENT = """
            #!/bin/sh
            case "$*" in
              *inspect*) echo running; exit ;;
              *mx_token*) ;;
              *) exit ;;
            esac
            read -r token mark
            printf '\\036%s7 setsid\\n' "$token"
            read -r brace
            read -r line
            start=${line#*036}
            printf '\\036%send\\n\\036%.32sok 8\\n' "$token" "$start"
            cat >/dev/null
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"x clean", "99999999999 clean", "-1 clean", ""})
    void anExitCodeThatAnAgentHasWrittenNeedNotBeOne(String end) throws Exception {
        ContainerCommand command =
                new ContainerCommand(ExecRequest.shell("echo x").build(), null, "/", Map.of());

        assertThatThrownBy(() -> SingleExec.exitCode(end, command, target()))
                .isInstanceOf(CommandLostException.class)
                .hasMessageContaining("has written '" + end.split(" ", -1)[0] + "' in the place of its exit code");
    }

    private ExecTarget target() throws IOException {
        Path client = directory.resolve("client");
        Files.writeString(client, CLIENT);
        client.toFile().setExecutable(true);
        return new ExecTarget(new ClientCommand(List.of(client.toString())), "container", false);
    }

    @Test
    void anEndThatIsToldBeforeTheBeginningIsNotTheCommandsAndNoTimeLimit() throws Exception {
        ExecTarget target = target();
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            Channel channel = Objects.requireNonNull(Channel.open(target, null, uninterrupted));
            ContainerCommand command =
                    new ContainerCommand(ExecRequest.shell("echo x").build(), null, "/", Map.of());

            assertThatThrownBy(() -> channel.run(command, uninterrupted))
                    .isInstanceOf(CommandLostException.class)
                    .hasMessageContaining("not run again");
            channel.close();
        }
    }
}
