package io.maestro;

import io.maestro.agents.AgentFactory;
import io.maestro.agents.AgentProject;
import io.maestro.agents.AgentProvider;
import io.maestro.audit.Redactor;
import io.maestro.audit.SecretRedactor;
import io.maestro.config.internal.Config;
import io.maestro.team.internal.program.CoderProgram;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The program that works in PLANNING and CODING in the place of a model.
 *
 * @param factory makes it
 * @param model the coders' model, as it was named; empty when it was not
 * @param settings its object in the configuration
 * @param baseUrl where the configuration says that the Anthropic API is; null where it does not
 */
record HostCoderMode(
        AgentFactory factory,
        Optional<String> model,
        Map<String, Object> settings,
        @Nullable String baseUrl) {
    /** Maestro's own loop around a model. */
    static final String STANDARD = "standard";

    private static final String PATH = "agents.coder_mode";

    /**
     * Finds what the host or its file has chosen.
     *
     * @param loader where modes are looked for
     * @param redactor is told the secrets of the mode
     * @return null for Maestro's own loop
     * @throws io.maestro.error.MaestroException when there is none of that name
     */
    static @Nullable HostCoderMode chosen(
            HostSettings own, Config config, ClassLoader loader, SecretRedactor redactor) {
        AgentFactory factory = own.coderModeFactory;
        if (factory == null) {
            String id =
                    own.coderMode != null ? own.coderMode : config.text(PATH).orElse(STANDARD);
            if (id.equals(STANDARD)) {
                return null;
            }
            String asked = own.coderMode != null ? "coderMode(\"" + id + "\")" : "$." + PATH;
            factory = Discovery.find(Discovery.CODER_MODES, id, loader, redactor, asked);
        }
        HostSecrets.tell(redactor, factory.secrets());
        return new HostCoderMode(
                factory,
                own.coderModel != null ? Optional.of(own.coderModel.model()) : config.text("agents.coder_model"),
                config.tree("claude_code").orElse(Map.of()),
                config.text("models.anthropic.base_url").orElse(null));
    }

    /** Makes it; nothing is started yet. */
    CoderProgram open(Path directory, String sessionId, Map<String, String> environment, Redactor redactor) {
        Map<String, String> variables = new HashMap<>(environment);
        if (baseUrl != null) {
            variables.put("ANTHROPIC_BASE_URL", baseUrl);
        }
        AgentProvider mode = factory.open(new AgentProject(directory, sessionId, model, settings, variables, redactor));
        return new CoderProgram(
                factory.id(),
                Objects.requireNonNull(mode, () -> factory.getClass().getName() + ".open"));
    }
}
