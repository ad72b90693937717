package io.maestro.examples;

import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables of tools in the READMEs: {@code | `name` | arguments | audiences | time | characters | source | a remark |}. All but
 * the remark is made of the definitions.
 */
final class ToolTable {
    private ToolTable() {}

    /** What a row of the README must be, up to its remark. */
    static String row(ToolDefinition tool, String source) {
        Map<?, ?> properties = (Map<?, ?>) tool.input().asMap().get("properties");
        List<?> required = (List<?>) tool.input().asMap().getOrDefault("required", List.of());
        String arguments = properties.keySet().stream()
                .map(name -> "`" + name + "`" + (required.contains(name) ? "" : "?"))
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s | %,d | %s",
                tool.name(),
                arguments,
                audiences(tool.audiences()),
                time(tool.timeLimit()),
                tool.resultLimit(),
                source);
    }

    /** A row of a README without its remark. */
    static String checked(String line) {
        return line.substring(0, line.lastIndexOf('|', line.length() - 2)).strip();
    }

    private static String audiences(Set<ToolAudience> audiences) {
        return EnumSet.copyOf(audiences).stream()
                .map(audience -> switch (audience) {
                    case CODER_PLANNING -> "P";
                    case CODER_CODING -> "C";
                    case ARCHITECT -> "A";
                    case ARCHITECT_SCOPING -> "S";
                    case ARCHITECT_EDITING -> "E";
                })
                .collect(Collectors.joining(" "));
    }

    private static String time(Duration limit) {
        return limit.toMinutes() % 60 == 0 && limit.toHours() > 0
                ? limit.toHours() + " h"
                : limit.toSeconds() % 60 == 0 ? limit.toMinutes() + " min" : limit.toSeconds() + " s";
    }
}
