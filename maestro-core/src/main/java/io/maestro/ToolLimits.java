package io.maestro;

import io.maestro.config.internal.Config;
import io.maestro.runtime.internal.Names;
import io.maestro.tools.ToolDefinition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the host has set in the place of the limits that tools have by themselves. Immutable.
 *
 * @param times how long a call may take, by the tool's name
 * @param results how many characters an answer may have
 */
record ToolLimits(Map<String, Duration> times, Map<String, Integer> results) {
    ToolLimits {
        times = Map.copyOf(times);
        results = Map.copyOf(results);
    }

    /** Refuses a limit that is none. */
    static Duration requireTime(String tool, Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException(
                    "the time limit of the tool '" + tool + "' must be more than zero, is " + limit);
        }
        return limit;
    }

    /** Refuses a limit that is too small for an answer to say anything, or too large for a model. */
    static int requireResult(String tool, int characters) {
        if (characters < 1024 || characters > 4 * 1024 * 1024) {
            throw new IllegalArgumentException("the result limit of the tool '" + tool
                    + "' must be from 1024 to 4194304 characters, is " + characters);
        }
        return characters;
    }

    /** Those of the file, with those in their place that are set in code. */
    static ToolLimits of(Config config, Map<String, Duration> times, Map<String, Integer> results) {
        Map<String, Duration> allTimes = new HashMap<>();
        Map<String, Integer> allResults = new HashMap<>();
        config.object("tools.limits").members().forEach((tool, limit) -> {
            limit.seconds("seconds").ifPresent(time -> allTimes.put(tool, time));
            limit.integer("characters").ifPresent(characters -> allResults.put(tool, characters));
        });
        allTimes.putAll(times);
        allResults.putAll(results);
        return new ToolLimits(allTimes, allResults);
    }

    /** The definition with its limits. */
    ToolDefinition in(ToolDefinition tool) {
        return tool.toBuilder()
                .timeLimit(times.getOrDefault(tool.name(), tool.timeLimit()))
                .resultLimit(results.getOrDefault(tool.name(), tool.resultLimit()))
                .build();
    }

    /** What is wrong with the names, given those that there are. */
    List<String> unknown(Collection<String> tools) {
        return Stream.of(times, results)
                .flatMap(limits -> limits.keySet().stream())
                .filter(name -> !tools.contains(name))
                .distinct()
                .sorted()
                .map(name -> Names.unknownTool(name, tools))
                .toList();
    }
}
