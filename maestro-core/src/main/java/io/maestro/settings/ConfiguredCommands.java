package io.maestro.settings;

import io.maestro.command.CommandTool;
import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.tools.Property;
import io.maestro.tools.ToolAudience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a configuration says of commands that are tools. */
final class ConfiguredCommands {
    private ConfiguredCommands() {}

    /**
     * The tools.
     *
     * @param config the whole configuration
     * @return ordered by name
     * @throws MaestroException when one is described wrongly
     */
    static List<CommandTool> of(Config config) {
        List<CommandTool> tools = new ArrayList<>();
        new TreeMap<>(config.object("tools.commands").members()).forEach((name, command) -> {
            try {
                tools.add(tool(name, command));
            } catch (IllegalArgumentException e) {
                throw new MaestroException("$.tools.commands." + name + ": " + e.getMessage(), e);
            }
        });
        return List.copyOf(tools);
    }

    private static CommandTool tool(String name, Config said) {
        CommandTool.Builder tool = CommandTool.builder(
                        name, said.texts("command").toArray(String[]::new))
                .description(said.text("description").orElseThrow());
        List<String> optional = said.texts("optional");
        Config arguments = said.object("arguments");
        for (String argument : arguments.names()) {
            Property property = property(arguments.tree(argument).orElseThrow());
            if (optional.contains(argument)) {
                tool.optionalArgument(argument, property);
            } else {
                tool.argument(argument, property);
            }
        }
        if (!arguments.names().containsAll(optional)) {
            throw new IllegalArgumentException(
                    "'optional' names " + optional + ", and the arguments are " + arguments.names());
        }
        if (said.flag("read_only").orElse(false)) {
            tool.readOnly();
        }
        List<ToolAudience> audiences = ConfiguredMcp.audiences(said);
        if (!audiences.isEmpty()) {
            tool.offeredTo(audiences.get(0), audiences.toArray(ToolAudience[]::new));
        }
        said.seconds("seconds").ifPresent(tool::timeLimit);
        return tool.build();
    }

    private static Property property(Map<String, Object> schema) {
        Property property = Property.string("");
        for (Map.Entry<String, Object> keyword : schema.entrySet()) {
            property = property.with(keyword.getKey(), keyword.getValue());
        }
        return property;
    }
}
