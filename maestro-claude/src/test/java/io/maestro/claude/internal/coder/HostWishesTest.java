package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.spi.AgentProject;
import io.maestro.claude.ClaudeCodeMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostWishesTest {
    @Test
    void aKeyThatIsGivenInCodeIsASecret() {
        assertThat(ClaudeCodeMode.builder().apiKey("a-key-of-a-proxy").build().secrets())
                .containsExactly("a-key-of-a-proxy");
        assertThat(new ClaudeCodeMode().secrets()).isEmpty();
    }

    /** FACTS.md: 300 s, then a retry. */
    @Test
    void aRequestThatTheCliGivesUpAndMakesAgainIsNoStall() {
        AgentProject project = new AgentProject(
                Path.of("/project"),
                "session",
                Optional.of("sonnet"),
                Map.of(),
                Map.of("ANTHROPIC_API_KEY", "sk-ant-fake"),
                text -> text);

        assertThat(new HostWishes().over(project).inactivityLimit()).isGreaterThan(Duration.ofSeconds(361));
    }

    /** In containers, too, it works with nothing configured but a key. */
    @Test
    void theHostsOwnClaudeIsTakenUnlessAnotherIsNamed(@TempDir Path directory) throws IOException {
        Path own = directory.resolve("bin/claude");
        Files.createDirectories(own.getParent());
        Files.writeString(own, "#!/bin/sh\n");
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
        String path = "relative:/no/such:" + own.getParent();

        assertThat(hostProgram(path, Map.of())).contains(own);
        assertThat(hostProgram("bin:.", Map.of())).isEmpty();
        assertThat(hostProgram(path, Map.of("host_program", "tools/claude")))
                .contains(Path.of("/project/tools/claude"));
    }

    private static Optional<Path> hostProgram(String path, Map<String, Object> settings) {
        AgentProject project = new AgentProject(
                Path.of("/project"),
                "session",
                Optional.of("sonnet"),
                settings,
                Map.of("ANTHROPIC_API_KEY", "sk-ant-fake", "PATH", path),
                text -> text);
        return new HostWishes().over(project).hostProgram();
    }
}
