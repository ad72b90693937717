package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.CheckReport;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.error.MaestroException;
import io.maestro.testkit.ScriptedLlm;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The module on the class path is all that a project needs to name the mode. */
class ModeDiscoveryTest {
    @TempDir
    private Path directory;

    private MaestroBuilder builder(String coderModel) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository("in-code")
                .architectModel(ScriptedLlm.builder("architect").build())
                .config("{\"agents\": {\"coder_model\": \"" + coderModel + "\"}}");
    }

    @Test
    void itIsFoundByItsName() {
        assertThat(ServiceLoader.load(AgentFactory.class))
                .filteredOn(factory -> factory.id().equals("claude-code"))
                .hasOnlyElementsOfType(ClaudeCodeMode.class)
                .hasSize(1);
    }

    @Test
    void theNameInCodeAndInTheFileIsThisMode() {
        // Only this mode refuses models of others.
        assertThatThrownBy(
                        () -> builder("gpt-of-others").coderMode("claude-code").build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("agents.coder_model", "gpt-of-others", "sonnet");
        String file = "{\"agents\": {\"coder_model\": \"gpt-of-others\", \"coder_mode\": \"claude-code\"}}";
        assertThatThrownBy(() -> builder("unused").config(file).build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("agents.coder_model", "gpt-of-others", "sonnet");
    }

    /** Nothing is started but {@code claude --version}; what plays it here is a script. */
    @Test
    void aCheckLooksForTheProgram() throws Exception {
        Path program = Files.writeString(directory.resolve("claude"), "#!/bin/sh\necho '9.8.7 (Claude Code)'\n");
        program.toFile().setExecutable(true);
        assertThat(checked(program.toString()))
                .startsWith("UNKNOWN CODER: Claude Code 9.8.7 at " + program + ", whose service was not asked -> ");
    }

    /** With a name that the API knows; nobody listens at its address. */
    @Test
    void aCheckAsksTheService() {
        ClaudeCodeMode mode = ClaudeCodeMode.builder()
                .apiKey("planted-key")
                .baseUrl(URI.create("http://127.0.0.1:1"))
                .build();
        try (Maestro maestro = builder("claude-sonnet-4-5[1m]").coderMode(mode).build()) {
            assertThat(maestro.check().findings())
                    .anyMatch(finding -> finding.subject() == CheckReport.Subject.CODER
                            && finding.status() == CheckReport.Status.FAILED
                            && finding.detail().startsWith("claude-sonnet-4-5: ")
                            && finding.detail().contains("the connection is refused"));
        }
    }

    private String checked(String program) {
        ClaudeCodeMode mode = ClaudeCodeMode.builder()
                .apiKey("planted-key")
                .hostProgram(directory.resolve("nothing"))
                .program(program)
                .build();
        try (Maestro maestro = builder("sonnet").coderMode(mode).build()) {
            return maestro.check().findings().stream()
                    .filter(finding -> finding.subject() == CheckReport.Subject.CODER)
                    .map(finding -> finding.toString().lines().findFirst().orElseThrow())
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aModelIsNeeded() {
        assertThatThrownBy(() ->
                        builder("unused").config("{}").coderMode("claude-code").build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("agents.coder_model");
    }
}
