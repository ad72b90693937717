package io.maestro.git.hosted.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A check of a commit.
 *
 * @param name what it is called
 * @param state what it means
 * @param word what the server calls that
 * @param url where people see it; may be empty
 * @param id by which the server knows its run; 0 for a mere status
 * @param job whether its run has a log on the server
 * @param said what it says about itself; may be empty
 */
public record Check(String name, CheckState state, String word, String url, long id, boolean job, String said) {
    private static final int MOST_SHOWN = 5;
    private static final int LONGEST_SAID = 1500;

    /** What a check means for a merge. */
    public enum CheckState {
        /** Nothing is in the way. */
        GREEN,
        /** It has not ended. */
        RUNNING,
        /** The coder has to mend something. */
        RED,
        /** It has ended without a verdict: people have to start it again or agree. */
        STUCK
    }

    /**
     * The runs that count: of several runs of one check, as a second event or a restart makes them, the newest.
     *
     * @param runs as the server lists them, in any order
     * @param check what is the same for all runs of one check
     * @param began when a run began; of those that began together the one with the highest {@code id} is the newest
     * @return one run for each check
     */
    public static Collection<JsonNode> newest(
            List<JsonNode> runs, Function<JsonNode, List<String>> check, Function<JsonNode, Instant> began) {
        Comparator<JsonNode> age = Comparator.comparing(began)
                .thenComparingLong(run -> run.path("id").asLong());
        Map<List<String>, JsonNode> newest = new LinkedHashMap<>();
        runs.forEach(run -> newest.merge(check.apply(run), run, BinaryOperator.maxBy(age)));
        return newest.values();
    }

    static String names(List<Check> checks) {
        return checks.stream().map(Check::name).distinct().limit(20).collect(Collectors.joining(", "));
    }

    /** What has failed, for the coder. */
    static String report(List<Check> failed, Server server) {
        StringBuilder report = new StringBuilder();
        for (Check check : failed.stream().limit(MOST_SHOWN).toList()) {
            report.append("- ").append(check.name()).append(": ").append(check.word());
            report.append(check.url().isEmpty() ? "" : " (" + check.url() + ")").append('\n');
            String all = (CheckLog.ends(check.said(), LONGEST_SAID) + details(check, server)).strip();
            report.append(all.isEmpty() ? "" : all.indent(2));
        }
        if (failed.size() > MOST_SHOWN) {
            report.append("- and ").append(failed.size() - MOST_SHOWN).append(" more: ");
            report.append(names(failed.subList(MOST_SHOWN, failed.size()))).append('\n');
        }
        return report.toString();
    }

    /** Reading details may fail without harm: the name says the most. */
    private static String details(Check check, Server server) {
        try {
            return server.details(check);
        } catch (ApiException e) {
            return "\n(more about it cannot be read)";
        }
    }
}
