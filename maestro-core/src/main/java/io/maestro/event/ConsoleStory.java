package io.maestro.event;

import io.maestro.llm.PriceTable;
import io.maestro.story.TestOutcome;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What {@link ConsoleProgress} knows of one story. Guarded by it. */
final class ConsoleStory {
    /** Something that runs. */
    private record Activity(String text, String arguments, Instant since) {}

    private static final Duration OUTAGE_SHOWN = Duration.ofMinutes(5);

    private static final Pattern TESTS_FAILED = Pattern.compile("tests (?:failed|were )");
    private static final Pattern UNTESTED = Pattern.compile("tests cannot be run|no tests were run|nothing was run");

    private final String id;
    private final Instant start;
    private final Map<String, Activity> activities = new LinkedHashMap<>();

    /** Which model an agent has asked last. */
    private final Map<String, String> asked = new HashMap<>();

    private Instant outageShown = Instant.MIN;
    private String state = "";
    private String tests = "";
    private long tokens;
    private BigDecimal cost = BigDecimal.ZERO;
    private boolean priceMissing;

    ConsoleStory(String id, Instant start) {
        this.id = id;
        this.start = start;
    }

    boolean isActive() {
        return !state.isEmpty() || !activities.isEmpty();
    }

    /**
     * Whether a change of state is shown: of an outage its beginning, its end, and now and then that it lasts.
     *
     * @param resumes whether it leaves SUSPEND to try again
     * @param suspends whether it goes there
     */
    boolean isWorthALine(boolean resumes, boolean suspends, Instant now) {
        if (resumes) {
            return false;
        }
        if (!suspends) {
            outageShown = Instant.MIN;
            return true;
        }
        if (outageShown.plus(OUTAGE_SHOWN).isAfter(now)) {
            return false;
        }
        outageShown = now;
        return true;
    }

    void state(String name) {
        state = name;
    }

    /** How the tests went by which the story goes on. */
    void tests(TestOutcome outcome) {
        tests = switch (outcome) {
            case PASSED -> "tests passed";
            case FAILED_BEFORE -> "tests fail as before";
            case FAILED -> "tests failed";
            case UNTESTED -> "UNTESTED";
        };
    }

    void started(MaestroEvent.ToolStarted call, Instant now) {
        String text = call.agentId() + " runs " + call.tool();
        activities.put(key(call.agentId(), call.tool(), call.callId()), new Activity(text, call.arguments(), now));
    }

    void progressed(MaestroEvent.ToolProgressed call) {
        String text = call.agentId() + " runs " + call.tool() + " (" + cut(call.step(), 40) + ")";
        activities.computeIfPresent(
                key(call.agentId(), call.tool(), call.callId()),
                (key, known) -> new Activity(text, known.arguments, known.since));
    }

    /** Ends a call and returns its arguments, which are empty when they are not known. */
    String finished(MaestroEvent.ToolFinished call) {
        if (call.tool().equals("test")) {
            // A coder's own call is no error when its command fails.
            boolean untested = UNTESTED.matcher(call.summary()).lookingAt();
            boolean failed =
                    call.error() || TESTS_FAILED.matcher(call.summary()).lookingAt();
            tests(untested ? TestOutcome.UNTESTED : failed ? TestOutcome.FAILED : TestOutcome.PASSED);
        }
        Activity activity = activities.remove(key(call.agentId(), call.tool(), call.callId()));
        return activity == null ? "" : activity.arguments;
    }

    void asks(MaestroEvent.ModelCalled call, Instant now) {
        asked.put(call.agentId(), call.model());
        activities.put(key(call.agentId(), "", ""), new Activity(call.agentId() + " asks " + call.model(), "", now));
    }

    void answered(MaestroEvent.ModelAnswered answer, PriceTable prices) {
        activities.remove(key(answer.agentId(), "", ""));
        tokens += answer.usage().totalTokens();
        // A service may answer under another name than it was asked by.
        Optional<BigDecimal> price = prices.cost(answer.model(), answer.usage())
                .or(() -> prices.cost(asked.getOrDefault(answer.agentId(), ""), answer.usage()));
        price.ifPresent(dollars -> cost = cost.add(dollars));
        priceMissing |= price.isEmpty() && answer.usage().totalTokens() > 0;
    }

    private static String key(String agentId, String tool, String callId) {
        return agentId + '\n' + tool + '\n' + callId;
    }

    String live(Instant now) {
        StringBuilder text = new StringBuilder(id).append(' ').append(state);
        text.append(' ').append(elapsed(Duration.between(start, now)));
        for (Activity activity : activities.values()) {
            text.append(", ").append(activity.text).append(' ');
            text.append(Math.max(0, Duration.between(activity.since, now).toSeconds()))
                    .append(" s");
        }
        return text.append(spent()).toString();
    }

    String totals(Instant now) {
        return elapsed(Duration.between(start, now)) + spent();
    }

    private String spent() {
        String text = tests.isEmpty() ? "" : ", " + tests;
        if (tokens > 0) {
            text += ", " + tokens + " tokens";
        }
        if (cost.signum() > 0) {
            text += ", $" + cost.setScale(4, RoundingMode.HALF_UP).toPlainString();
        }
        return priceMissing ? text + ", a price is not known" : text;
    }

    /** Minutes and seconds, with hours from the first on. */
    static String elapsed(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        String text = String.format(Locale.ROOT, "%02d:%02d", seconds / 60 % 60, seconds % 60);
        return seconds < 3600 ? text : seconds / 3600 + ":" + text;
    }

    static String exact(Duration duration) {
        return String.format(Locale.ROOT, "%.3f s", duration.toMillis() / 1000.0);
    }

    static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        int end = length - 1;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }
}
