package io.maestro.claude;

import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.claude.internal.coder.ClaudeMode;
import io.maestro.claude.internal.replay.ReplayedClaude;
import io.maestro.story.CoderState;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The coder mode {@code claude-code}: the Claude Code CLI works in PLANNING and CODING, in the coder's container where there is
 * one, and calls Maestro's tools over MCP. With this module on the class path, {@code "coder_mode": "claude-code"} finds it; a
 * host that wants other settings than those of the configuration gives one of its own to the builder of {@code Maestro}.
 *
 * <p>The key of the API stays on the host: the CLI talks to an {@link ApiGateway} of its own, which puts the key in. It is read
 * from {@code ANTHROPIC_API_KEY} of the host's environment unless {@link ClaudeOptions#apiKey(String)} gives it. A service of this machine
 * (localhost, 127.0.0.1 or ::1 in {@link ClaudeOptions#baseUrl(URI)}) needs none.
 *
 * <p>Immutable, and safe for use by several threads.
 */
public final class ClaudeCodeMode implements AgentFactory {
    /** The mode's id in the configuration. */
    public static final String ID = "claude-code";

    private final ClaudeOptions options;

    /** For {@code ServiceLoader}: all as the configuration says. */
    public ClaudeCodeMode() {
        this(ClaudeOptions.defaults());
    }

    private ClaudeCodeMode(ClaudeOptions options) {
        this.options = options;
    }

    /**
     * Begins a mode whose settings win over those of the configuration.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public List<String> secrets() {
        return options.apiKey().stream().toList();
    }

    @Override
    public AgentProvider open(AgentProject project) {
        return new ClaudeMode(project, options(project));
    }

    /** What holds for a project. */
    ClaudeOptions options(AgentProject project) {
        return options.under(project);
    }

    /** What comes from the record needs no key and no model. Stories whose model has used sub-agents or the network cannot be replayed. */
    @Override
    public Optional<AgentFactory> replaying(RecordedAnswers answers) {
        return Optional.of(new ReplayedClaude(ID, secrets(), answers, (url, key) -> {
            ClaudeOptions replayed = options.baseUrl(url).apiKey(key).keyInEnvironment(false);
            boolean named = options.model(CoderState.PLANNING)
                    .or(() -> options.model(CoderState.CODING))
                    .isPresent();
            // Where none is named none is asked: the name only shows.
            return new ClaudeCodeMode(named ? replayed : replayed.model("sonnet"));
        }));
    }

    /** Collects the settings: those of the first hour here, all of them in {@link #options}. Not safe for use by several threads. */
    public static final class Builder {
        private ClaudeOptions options = ClaudeOptions.defaults();

        private Builder() {}

        /**
         * Sets the coders' model in both states, in the place of all that the configuration says of models.
         *
         * @param name a name that begins with {@code claude-}, or {@code sonnet}, {@code opus} or {@code haiku}
         * @return this
         */
        public Builder model(String name) {
            return options(all -> all.model(name));
        }

        /**
         * Sets the CLI's program where the coders' commands run.
         *
         * @param path absolute, as the commands see it; by default the binary of this machine, then {@code claude} on the {@code
         *     PATH} there
         * @return this
         */
        public Builder program(String path) {
            return options(all -> all.program(path));
        }

        /**
         * Names a binary of this machine, or the npm package with it: see {@link ClaudeFinder.Builder#hostProgram}.
         *
         * @param path a native binary, or a directory of npm; by default {@code claude} on this machine's {@code PATH}
         * @return this
         */
        public Builder hostProgram(Path path) {
            return options(all -> all.hostProgram(path));
        }

        /**
         * Sets the key of the API, in the place of the variable {@code ANTHROPIC_API_KEY}.
         *
         * @param key the key; it stays on this machine unless {@link ClaudeOptions#keyInEnvironment(boolean)} says otherwise
         * @return this
         */
        public Builder apiKey(String key) {
            return options(all -> all.apiKey(key));
        }

        /**
         * Sets where the API is, in the place of {@code models.anthropic.base_url}.
         *
         * @param url an http or https address without a user, a query or a fragment
         * @return this
         */
        public Builder baseUrl(URI url) {
            return options(all -> all.baseUrl(url));
        }

        /**
         * Changes the settings, such as models and tools of each state.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder options(UnaryOperator<ClaudeOptions> change) {
            options = change.apply(options);
            return this;
        }

        /**
         * Makes the mode.
         *
         * @return the mode
         */
        public ClaudeCodeMode build() {
            return new ClaudeCodeMode(options);
        }
    }
}
