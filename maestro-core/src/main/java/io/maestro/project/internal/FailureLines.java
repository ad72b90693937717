package io.maestro.project.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds in the output of a build tool which tests have failed and what a compiler or linter has refused. The forms are those that
 * the tools print when they do not write to a terminal; an output of another tool has none, and loses nothing by it. Agents write
 * what is read here: long lines are passed over, and so are lines beyond a number.
 */
public final class FailureLines {
    /** A log of colours; they would stand between a word and its line's beginning. */
    private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");

    private static final int LONGEST_LINE = 1000;
    private static final int MOST_LINES = 200_000;
    private static final int MOST = 50;
    private static final int MOST_WARNINGS = 10;
    private static final int MOST_SHOWN = 300;

    /** What is shown of each, by its name. */
    private final Map<String, String> tests = new LinkedHashMap<>();

    private final Set<String> errors = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /** The last test, while its place is not known. */
    private @Nullable String test;

    /** The last file that stood on a line by itself, and the last place that Python has named. */
    private String file = "";

    private String place = "";
    private String previous = "";

    private long ran;
    private boolean counted;
    private long failed;

    private FailureLines() {}

    public static FailureLines in(String... outputs) {
        FailureLines found = new FailureLines();
        for (String output : outputs) {
            output.lines()
                    .limit(MOST_LINES)
                    .filter(line -> line.length() <= LONGEST_LINE)
                    .map(line -> COLOURS.matcher(line).replaceAll("").stripTrailing())
                    .filter(line -> !line.isEmpty())
                    .forEach(line -> {
                        found.look(line);
                        found.previous = line;
                    });
        }
        return found;
    }

    private void look(String line) {
        count(line);
        if (isTest(line) || isPlace(line)) {
            return;
        }
        Matcher below = FailureForms.BELOW_FILE.matcher(line);
        if (!file.isEmpty() && below.matches()) {
            String found = file + ":" + below.group(1) + ": " + below.group(2) + ": " + below.group(3);
            (below.group(2).equals("error") ? errors : warnings).add(found);
        } else if (any(FailureForms.WARNINGS, line)) {
            warnings.add(line);
        } else if (any(FailureForms.ERRORS, line)) {
            errors.add(line);
        } else if (FailureForms.PYTHON_ERROR.matcher(line).matches()) {
            errors.add(place.isEmpty() ? line : place + ": " + line);
            place = "";
        } else if (FailureForms.FINDING.matcher(line).matches()) {
            errors.add(line.strip());
        } else if (FailureForms.FILE_ALONE.matcher(line).matches()) {
            file = line;
        }
    }

    private void count(String line) {
        for (Pattern form : FailureForms.FAILED) {
            Matcher found = form.matcher(line);
            if (found.matches()) {
                failed += found.groupCount() == 0 ? 1 : number(found, 1) + number(found, 2);
                break;
            }
        }
        for (Pattern form : FailureForms.COUNTS) {
            Matcher found = form.matcher(line);
            if (found.matches()) {
                counted = true;
                ran += found.groupCount() == 0 ? 1 : number(found, 1) + number(found, 2) - number(found, 3);
                return;
            }
        }
    }

    private static int number(Matcher found, int group) {
        String digits = group <= found.groupCount() ? found.group(group) : null;
        return digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private boolean isTest(String line) {
        for (Pattern pattern : FailureForms.TESTS) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                String name = matcher.group(1);
                String more = matcher.groupCount() > 1 ? matcher.group(2) : null;
                if (more != null || !tests.containsKey(name)) {
                    tests.put(name, more == null ? name : name + more);
                }
                test = more == null ? name : null;
                return true;
            }
        }
        return false;
    }

    private boolean isPlace(String line) {
        Matcher python = FailureForms.PYTHON_PLACE.matcher(line);
        if (python.matches()) {
            place = python.group(1) + ":" + python.group(2);
            return true;
        }
        Matcher arrow = FailureForms.ARROW.matcher(line);
        if (arrow.matches()) {
            errors.remove(previous);
            (previous.startsWith("warning") ? warnings : errors).add(arrow.group(1) + ": " + previous.strip());
            return true;
        }
        String name = test;
        if (name != null) {
            for (Pattern pattern : FailureForms.PLACES_OF_TESTS) {
                Matcher matcher = pattern.matcher(line);
                if (matcher.matches() && !matcher.group(1).contains("node_modules/")) {
                    tests.put(name, name + " at " + matcher.group(1));
                    test = null;
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean any(List<Pattern> patterns, String line) {
        return patterns.stream().anyMatch(pattern -> pattern.matcher(line).matches());
    }

    /** The names of the tests that failed, as the tool prints them. */
    public Set<String> tests() {
        return tests.keySet();
    }

    /** How many tests have passed; empty where the output does not say it. Names do not tell two tests of one name apart. */
    public OptionalInt passing() {
        return counted
                ? OptionalInt.of((int) Math.max(0, Math.min(ran - failed, Integer.MAX_VALUE)))
                : OptionalInt.empty();
    }

    /** The lines of compilers and linters that say what is wrong, with file and line as far as they have them. */
    public Set<String> errors() {
        return errors;
    }

    /** The same for what does not need to be mended. */
    public Set<String> warnings() {
        return warnings;
    }

    /** For a model, before the output itself; empty when nothing was found. */
    public String summary() {
        List<String> parts = new ArrayList<>();
        part(parts, "errors", errors, MOST);
        part(parts, "failed tests", tests.values(), MOST);
        part(parts, "warnings", warnings, MOST_WARNINGS);
        return String.join("\n", parts);
    }

    private static void part(List<String> parts, String what, Collection<String> lines, int most) {
        if (!lines.isEmpty()) {
            parts.add("--- " + what + " (" + lines.size() + ") ---");
            lines.stream()
                    .limit(most)
                    .map(line -> line.length() <= MOST_SHOWN ? line : line.substring(0, MOST_SHOWN) + "…")
                    .forEach(parts::add);
            if (lines.size() > most) {
                parts.add("… and " + (lines.size() - most) + " more");
            }
        }
    }
}
