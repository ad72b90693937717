package io.maestro.tools;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Describes a tool to models and to the runtime. Immutable; only name and description must be given.
 */
public final class ToolDefinition {
    /** The time limit of a tool that sets none. */
    public static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(60);

    /** How many characters of an answer a tool that sets no limit may give. */
    public static final int DEFAULT_RESULT_LIMIT = 64 * 1024;

    private static final int LEAST_RESULT_LIMIT = 1024;
    private static final int MOST_RESULT_LIMIT = 4 * 1024 * 1024;

    /** What the Anthropic Messages API accepts as a tool's name, which is also fit for OpenAI and MCP. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

    private final String name;
    private final String description;
    private final InputSchema input;
    private final boolean readOnly;
    private final boolean terminal;
    private final boolean agentOnly;
    private final Set<ToolAudience> audiences;
    private final Duration timeLimit;
    private final int resultLimit;
    private final @Nullable String usage;
    private final List<String> pathArguments;

    private ToolDefinition(Builder builder) {
        this.name = builder.name;
        this.description = builder.description;
        this.input = builder.input;
        this.readOnly = builder.readOnly;
        this.terminal = builder.terminal;
        this.agentOnly = builder.agentOnly;
        this.audiences = Set.copyOf(builder.audiences == null ? defaultAudiences(readOnly) : builder.audiences);
        this.timeLimit = builder.timeLimit;
        this.resultLimit = builder.resultLimit;
        this.usage = builder.usage;
        this.pathArguments = builder.pathArguments;
        if (description.isBlank()) {
            throw new IllegalArgumentException(
                    "tool '" + name + "' has no description: say what it does, a model decides by it");
        }
    }

    private static Set<ToolAudience> defaultAudiences(boolean readOnly) {
        return readOnly
                ? EnumSet.of(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                : EnumSet.of(ToolAudience.CODER_CODING);
    }

    /**
     * Starts a definition.
     *
     * @param name letters, digits, {@code _} and {@code -}; 1 to 64 characters
     * @return a builder
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /**
     * Whether a string can be a tool's name.
     *
     * @param name any string
     * @return true for 1 to 64 letters, digits, {@code _} and {@code -}
     */
    public static boolean isValidName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * The name by which a model calls the tool. It is unique in a Maestro.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * What the tool does and when to use it, for the model.
     *
     * @return not blank
     */
    public String description() {
        return description;
    }

    /**
     * What the tool takes.
     *
     * @return a JSON Schema of type object
     */
    public InputSchema input() {
        return input;
    }

    /**
     * Whether the tool changes nothing: then it may run beside others, and is offered while planning.
     *
     * @return true when it only reads
     */
    public boolean readOnly() {
        return readOnly;
    }

    /**
     * Whether the tool's {@linkplain ToolResult#signal() signal} ends the agent's turn.
     *
     * @return true for a tool that completes something
     */
    public boolean terminal() {
        return terminal;
    }

    /**
     * Whether only an agent may call the tool, and no {@linkplain ToolCaller other tool}.
     *
     * @return true for a {@linkplain #terminal() terminal} tool, and for one that says so
     */
    public boolean agentOnly() {
        return agentOnly || terminal;
    }

    /**
     * Who is offered the tool.
     *
     * @return an unmodifiable set; by default the coder while coding and, for a read-only tool, while planning
     */
    public Set<ToolAudience> audiences() {
        return audiences;
    }

    /**
     * How long one call may take.
     *
     * @return more than zero
     */
    public Duration timeLimit() {
        return timeLimit;
    }

    /**
     * How long an answer may be, after secrets were taken out of it. Of a longer one the beginning and the end are kept, and
     * structured data that is longer is left out: a tool with much to say gives it in pages.
     *
     * @return characters, from 1,024 to 4,194,304
     */
    public int resultLimit() {
        return resultLimit;
    }

    /**
     * A copy to be changed.
     *
     * @return a builder with all that this definition has
     */
    public Builder toBuilder() {
        Builder builder = new Builder(name);
        builder.description = description;
        builder.input = input;
        builder.readOnly = readOnly;
        builder.terminal = terminal;
        builder.agentOnly = agentOnly;
        builder.audiences = audiences;
        builder.timeLimit = timeLimit;
        builder.resultLimit = resultLimit;
        builder.usage = usage;
        builder.pathArguments = pathArguments;
        return builder;
    }

    /**
     * More about the use of the tool, for prompts.
     *
     * @return Markdown, or empty when the description says it all
     */
    public Optional<String> usage() {
        return Optional.ofNullable(usage);
    }

    /**
     * The arguments that are paths of files. The runtime gives each of them its canonical form before a policy decides on the
     * call: no {@code .}, no {@code //}, no slash at the end, and {@code ..} only at the beginning. Policy, tool and record see
     * the same text then.
     *
     * @return names as in {@code path}; in an object in an argument {@code outer.inner}; unmodifiable
     */
    public List<String> pathArguments() {
        return pathArguments;
    }

    /** The name. */
    @Override
    public String toString() {
        return name;
    }

    /** Collects the parts of a {@link ToolDefinition}. Not safe for use by several threads. */
    public static final class Builder {
        private final String name;
        private String description = "";
        private InputSchema input = InputSchema.empty();
        private boolean readOnly;
        private boolean terminal;
        private boolean agentOnly;
        private @Nullable Set<ToolAudience> audiences;
        private Duration timeLimit = DEFAULT_TIME_LIMIT;
        private int resultLimit = DEFAULT_RESULT_LIMIT;
        private @Nullable String usage;
        private List<String> pathArguments = List.of();

        private Builder(String name) {
            if (!isValidName(name)) {
                throw new IllegalArgumentException(
                        "not a tool name: '" + name + "'; use 1 to 64 letters, digits, '_' and '-'");
            }
            this.name = name;
        }

        /**
         * Sets what the tool does.
         *
         * @param text for the model; not blank
         * @return this
         */
        public Builder description(String text) {
            this.description = Objects.requireNonNull(text, "text");
            return this;
        }

        /**
         * Sets what the tool takes.
         *
         * @param schema the schema
         * @return this
         */
        public Builder input(InputSchema schema) {
            this.input = Objects.requireNonNull(schema, "schema");
            return this;
        }

        /**
         * Sets what the tool takes.
         *
         * @param properties adds the properties
         * @return this
         */
        public Builder input(Consumer<InputSchema.Builder> properties) {
            return input(InputSchema.of(properties));
        }

        /**
         * Says that the tool changes nothing.
         *
         * @return this
         */
        public Builder readOnly() {
            this.readOnly = true;
            return this;
        }

        /**
         * Says that the tool's signal ends the agent's turn; {@link ToolSignal} says which signals there are.
         *
         * @return this
         */
        public Builder terminal() {
            this.terminal = true;
            return this;
        }

        /**
         * Says that other tools may not call this one: its effect is for an agent to decide, such as what its commands run in.
         *
         * @return this
         */
        public Builder agentOnly() {
            this.agentOnly = true;
            return this;
        }

        /**
         * Sets who is offered the tool.
         *
         * @param first one audience
         * @param more others
         * @return this
         */
        public Builder offeredTo(ToolAudience first, ToolAudience... more) {
            this.audiences = EnumSet.of(first, more);
            return this;
        }

        /**
         * Sets how long one call may take.
         *
         * @param limit more than zero
         * @return this
         */
        public Builder timeLimit(Duration limit) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException(
                        "the time limit of tool '" + name + "' must be more than zero, is " + limit);
            }
            this.timeLimit = limit;
            return this;
        }

        /**
         * Sets how long an answer may be.
         *
         * @param characters from 1,024 to 4,194,304; see {@link ToolDefinition#resultLimit()}
         * @return this
         */
        public Builder resultLimit(int characters) {
            if (characters < LEAST_RESULT_LIMIT || characters > MOST_RESULT_LIMIT) {
                throw new IllegalArgumentException("the result limit of tool '" + name + "' must be from "
                        + LEAST_RESULT_LIMIT + " to " + MOST_RESULT_LIMIT + " characters, is " + characters);
            }
            this.resultLimit = characters;
            return this;
        }

        /**
         * Sets more about the use of the tool.
         *
         * @param markdown for prompts
         * @return this
         */
        public Builder usage(String markdown) {
            this.usage = Objects.requireNonNull(markdown, "markdown");
            return this;
        }

        /**
         * Says which arguments are paths of files, so that a policy cannot be passed by another spelling of a path.
         *
         * @param names as in {@code path}; in an object in an argument {@code outer.inner}; of an array each element is a path
         * @return this
         */
        public Builder pathArguments(String... names) {
            this.pathArguments = List.of(names);
            return this;
        }

        /**
         * Makes the definition.
         *
         * @return the definition
         * @throws IllegalArgumentException when there is no description
         */
        public ToolDefinition build() {
            return new ToolDefinition(this);
        }
    }
}
