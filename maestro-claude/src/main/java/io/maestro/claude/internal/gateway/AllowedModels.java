package io.maestro.claude.internal.gateway;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The models that may be asked.
 *
 * @param names models, and short names of the CLI, each of which stands for a family; none for all models
 */
public record AllowedModels(List<String> names) {
    private static final Set<String> FAMILIES = Set.of("haiku", "opus", "sonnet");
    private static final Pattern SNAPSHOT = Pattern.compile("-20[0-9]{6}$");

    /** What the CLI puts behind a name, and does not send. */
    private static final String LONG_CONTEXT = "[1m]";

    /** Copies. */
    public AllowedModels {
        names = List.copyOf(names);
    }

    boolean allow(String model) {
        return names.isEmpty() || names.stream().anyMatch(name -> same(name.replace(LONG_CONTEXT, ""), model));
    }

    /** Whether the long context, which costs more with some models, may be asked for. */
    boolean allowLongContext() {
        return names.isEmpty() || names.stream().anyMatch(name -> name.endsWith(LONG_CONTEXT));
    }

    private static boolean same(String name, String model) {
        return FAMILIES.contains(name)
                ? model.startsWith("claude-") && List.of(model.split("-", -1)).contains(name)
                : withoutDate(model).equals(withoutDate(name));
    }

    private static String withoutDate(String model) {
        return SNAPSHOT.matcher(model).replaceFirst("");
    }

    @Override
    public String toString() {
        return String.join(", ", names);
    }
}
