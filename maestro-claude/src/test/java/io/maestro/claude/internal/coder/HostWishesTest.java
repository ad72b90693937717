package io.maestro.claude.internal.coder;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.claude.ClaudeCodeMode;
import io.maestro.coder.CoderModeProject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
        CoderModeProject project = new CoderModeProject(
                Path.of("/project"),
                "session",
                Optional.of("sonnet"),
                Map.of(),
                Map.of("ANTHROPIC_API_KEY", "sk-ant-fake"),
                text -> text);

        assertThat(new HostWishes().over(project).inactivityLimit()).isGreaterThan(Duration.ofSeconds(361));
    }
}
