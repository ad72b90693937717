package io.maestro.command;

import io.maestro.builtin.internal.CommandRun;
import io.maestro.command.CommandTemplate.UnfitArgumentException;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A tool that runs a command in the agent's workspace: in its container, or on this machine. The command is a list of arguments,
 * and no shell looks at it. An argument <code>{name}</code> is replaced by what the model gives, as one argument, and
 * <code>--option={name}</code> by that behind the {@code =}; a list becomes one argument for each item.
 *
 * <p>What begins with {@code -} could be read as an option. It is refused as a whole argument, unless its schema has an {@code
 * enum}, or a literal {@code --} stands before it in the command. A command that ends with another exit code than 0 is an error.
 * Immutable.
 */
public final class CommandTool implements ToolFactory {
    /** For the end of the command, so that its output arrives. */
    private static final Duration FOR_THE_END = Duration.ofSeconds(30);

    private final ToolDefinition definition;
    private final CommandTemplate command;
    private final Duration limit;

    private CommandTool(Builder builder) {
        this.command = CommandTemplate.of(builder.command, builder.arguments, builder.optional);
        this.limit = builder.limit;
        this.definition = builder.definition
                .input(InputSchema.of(schema -> builder.arguments.forEach((name, property) -> {
                    if (builder.optional.contains(name)) {
                        schema.optional(name, property);
                    } else {
                        schema.required(name, property);
                    }
                })))
                .timeLimit(limit.plus(FOR_THE_END))
                .build();
    }

    /**
     * Starts a tool.
     *
     * @param name the tool's name
     * @param command the program and its arguments; no secret, since other processes can see them
     * @return a builder
     * @throws IllegalArgumentException when no tool can have the name
     */
    public static Builder builder(String name, String... command) {
        return new Builder(name, List.of(command));
    }

    @Override
    public ToolDefinition definition() {
        return definition;
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            List<String> filled;
            try {
                filled = command.fill(call.arguments());
            } catch (UnfitArgumentException e) {
                return ToolResult.error("Nothing was run: " + e.getMessage());
            }
            return CommandRun.run(context.executor(), filled, call.commandLimit(limit));
        };
    }

    /** The command with its places for arguments. */
    @Override
    public String toString() {
        return definition.name() + " " + command;
    }

    /** Collects the parts of a {@link CommandTool}. Not safe for use by several threads. */
    public static final class Builder {
        private final ToolDefinition.Builder definition;
        private final List<String> command;
        private final Map<String, Property> arguments = new LinkedHashMap<>();
        private final Set<String> optional = new LinkedHashSet<>();
        private Duration limit = ToolDefinition.DEFAULT_TIME_LIMIT;

        private Builder(String name, List<String> command) {
            this.definition = ToolDefinition.builder(name);
            this.command = command;
        }

        /**
         * Sets what the tool does and when to use it.
         *
         * @param text for the model; not blank
         * @return this
         */
        public Builder description(String text) {
            definition.description(text);
            return this;
        }

        /**
         * Adds an argument that the model must give.
         *
         * @param name stands as <code>{name}</code> in the command
         * @param property a string, a number, a boolean, or an array of these; narrow it by {@code enum} or {@code pattern}
         * @return this
         */
        public Builder argument(String name, Property property) {
            arguments.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(property, "property"));
            return this;
        }

        /**
         * Adds an argument that the model may leave out; then the whole argument of the command is left out.
         *
         * @param name stands as <code>{name}</code> or <code>--option={name}</code> in the command
         * @param property as for {@link #argument}
         * @return this
         */
        public Builder optionalArgument(String name, Property property) {
            optional.add(name);
            return argument(name, property);
        }

        /**
         * Says that the command changes nothing: it is offered while planning, too, and runs beside others.
         *
         * @return this
         */
        public Builder readOnly() {
            definition.readOnly();
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
            definition.offeredTo(first, more);
            return this;
        }

        /**
         * Sets how long the command may take.
         *
         * @param time more than zero, at most a day; 60 seconds unless set
         * @return this
         */
        public Builder timeLimit(Duration time) {
            if (time.isZero() || time.isNegative() || time.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException(
                        "the time limit must be more than zero and at most a day, is " + time);
            }
            this.limit = time;
            return this;
        }

        /**
         * Makes the tool.
         *
         * @return the tool
         * @throws IllegalArgumentException when there is no description, or the command and its arguments do not fit together
         */
        public CommandTool build() {
            return new CommandTool(this);
        }
    }
}
