package io.maestro.claude;

import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.claude.internal.coder.ClaudeMode;
import io.maestro.claude.internal.coder.HostWishes;
import io.maestro.claude.internal.coder.ModeSettings;
import io.maestro.claude.internal.replay.ReplayedClaude;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The coder mode {@code claude-code}: the Claude Code CLI works in PLANNING and CODING, in the coder's container where there is
 * one, and calls Maestro's tools over MCP. With this module on the class path, {@code "coder_mode": "claude-code"} finds it; a
 * host that wants other settings than those of the configuration gives one of its own to the builder of {@code Maestro}.
 *
 * <p>The key of the API stays on the host: the CLI talks to an {@link ApiGateway} of its own, which puts the key in. It is read
 * from {@code ANTHROPIC_API_KEY} of the host's environment unless {@link Builder#apiKey} gives it. A service of this machine
 * (localhost, 127.0.0.1 or ::1 in {@link Builder#baseUrl}) needs none.
 *
 * <p>Immutable, and safe for use by several threads.
 */
public final class ClaudeCodeMode implements AgentFactory {
    /** The mode's id in the configuration. */
    public static final String ID = "claude-code";

    private final HostWishes wishes;

    /** For {@code ServiceLoader}: all as the configuration says. */
    public ClaudeCodeMode() {
        this(new HostWishes());
    }

    private ClaudeCodeMode(HostWishes wishes) {
        this.wishes = wishes;
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
        return wishes.apiKey == null ? List.of() : List.of(wishes.apiKey);
    }

    @Override
    public AgentProvider open(AgentProject project) {
        return new ClaudeMode(project, settings(project));
    }

    /** What comes from the record needs no key and no model. Stories whose model has used sub-agents or the network cannot be replayed. */
    @Override
    public Optional<AgentFactory> replaying(RecordedAnswers answers) {
        return Optional.of(new ReplayedClaude(ID, secrets(), answers, (url, key) -> {
            HostWishes replayed = wishes.copy();
            replayed.baseUrl = url;
            replayed.apiKey = key;
            replayed.keyInEnvironment = false;
            if (replayed.model == null && replayed.planningModel == null && replayed.codingModel == null) {
                // None is asked: the name only shows.
                replayed.model = "sonnet";
            }
            return new ClaudeCodeMode(replayed);
        }));
    }

    /** What holds for a project. */
    ModeSettings settings(AgentProject project) {
        return wishes.over(project);
    }

    /** Collects settings. Not safe for use by several threads. */
    public static final class Builder {
        private final HostWishes wishes = new HostWishes();

        private Builder() {}

        /**
         * Sets the coders' model in both states, in the place of all that the configuration says of models.
         *
         * @param name a name that begins with {@code claude-}, or {@code sonnet}, {@code opus} or {@code haiku}
         * @return this
         */
        public Builder model(String name) {
            wishes.model = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets the model in PLANNING.
         *
         * @param name as in {@link #model}; that model unless set
         * @return this
         */
        public Builder planningModel(String name) {
            wishes.planningModel = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets the model in CODING.
         *
         * @param name as in {@link #model}; that model unless set
         * @return this
         */
        public Builder codingModel(String name) {
            wishes.codingModel = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets all tools of the CLI's own that a model is offered in PLANNING, beside Maestro's. What a newer CLI brings is not
         * offered unless it is named.
         *
         * @param names letters and digits; empty for none; by default {@code Task}, {@code Bash}, {@code Read}, {@code Glob} and
         *     {@code Grep}
         * @return this
         */
        public Builder planningTools(List<String> names) {
            wishes.planningTools = HostWishes.tools("planningTools", names);
            return this;
        }

        /**
         * Sets all tools of the CLI's own that a model is offered in CODING, beside Maestro's.
         *
         * @param names as in {@link #planningTools}; by default those, {@code Edit}, {@code Write} and {@code NotebookEdit}
         * @return this
         */
        public Builder codingTools(List<String> names) {
            wishes.codingTools = HostWishes.tools("codingTools", names);
            return this;
        }

        /**
         * Sets the CLI's program where the coders' commands run.
         *
         * @param path absolute, as the commands see it; by default the binary of this machine, then {@code claude} on the {@code
         *     PATH} there
         * @return this
         */
        public Builder program(String path) {
            wishes.program = HostWishes.absolute("program", path);
            return this;
        }

        /**
         * Names a binary of this machine, or the npm package with it: see {@link ClaudeFinder.Builder#hostProgram}. It is bound
         * into the coder's containers, read-only; without containers it is run where it is.
         *
         * @param path a native binary, or a directory of npm; by default {@code claude} on this machine's {@code PATH}
         * @return this
         */
        public Builder hostProgram(Path path) {
            wishes.hostProgram = Objects.requireNonNull(path, "path");
            return this;
        }

        /**
         * Sets how the CLI reaches Maestro's tools.
         *
         * @param how by default the control channel, which needs no network
         * @return this
         */
        public Builder way(McpWay how) {
            wishes.way = Objects.requireNonNull(how, "how");
            return this;
        }

        /**
         * Sets the key of the API, in the place of the variable {@code ANTHROPIC_API_KEY}.
         *
         * @param key the key; it stays on this machine unless {@link #keyInEnvironment} says otherwise
         * @return this
         */
        public Builder apiKey(String key) {
            wishes.apiKey = Objects.requireNonNull(key, "key");
            return this;
        }

        /**
         * Sets where the API is, in the place of {@code models.anthropic.base_url}.
         *
         * @param url an http or https address without a user, a query or a fragment
         * @return this
         */
        public Builder baseUrl(URI url) {
            wishes.baseUrl = HostWishes.webAddress("baseUrl", url);
            return this;
        }

        /**
         * Gives the key to the CLI itself, in the environment of its process, where whatever the agent runs can read it; the
         * CLI talks to the API directly then, so that it needs a network in PLANNING, too, and budgets are looked at only when
         * a turn of it has ended.
         *
         * @return this
         */
        public Builder keyInEnvironment() {
            wishes.keyInEnvironment = true;
            return this;
        }

        /**
         * Sets how long a run of the CLI may take; the time in which the architect thinks about a question does not count.
         *
         * @param limit more than zero; by default 1 hour
         * @return this
         */
        public Builder totalLimit(Duration limit) {
            wishes.totalLimit = HostWishes.positive("totalLimit", limit);
            return this;
        }

        /**
         * Sets how long the CLI may say nothing while no tool is in flight, and it has not said that it waits. It asks an API
         * again that has been silent for 301 s (2.1.197) to 361 s (2.1.330), so that less would end healthy runs.
         *
         * @param limit 7 minutes or more; by default 10 minutes
         * @return this
         */
        public Builder inactivityLimit(Duration limit) {
            wishes.inactivityLimit = HostWishes.silence("inactivityLimit", limit);
            return this;
        }

        /**
         * Makes the mode.
         *
         * @return the mode
         */
        public ClaudeCodeMode build() {
            return new ClaudeCodeMode(wishes.copy());
        }
    }
}
