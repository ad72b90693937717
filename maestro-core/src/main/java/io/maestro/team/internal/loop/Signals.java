package io.maestro.team.internal.loop;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.story.CoderState;
import io.maestro.tools.ToolSignal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The signals of terminal tools: which end a turn where, and what must belong to them. */
public final class Signals {
    /** By name, the texts that a signal must carry. */
    static final Map<String, List<String>> PLANNING = Map.of(
            "submit_plan", List.of("plan"),
            "story_complete", List.of("reason"),
            "ask_question", List.of("question"),
            "report_blocked", List.of("reason"));

    static final Map<String, List<String>> CODING = Map.of(
            "done", List.of("summary"),
            "ask_question", List.of("question"),
            "report_blocked", List.of("reason"));

    public static final Map<String, List<String>> REVIEW = Map.of("review_complete", List.of("decision"));

    public static final Map<String, List<String>> ANSWER = Map.of("submit_reply", List.of("message"));

    /** Whatever a terminal tool sends. */
    public static final Map<String, List<String>> ANY = Map.of();

    private static final List<String> DECISIONS =
            Arrays.stream(Architect.Decision.values()).map(Enum::name).toList();

    private Signals() {}

    /** Those that end a coder's turn in a state in which it thinks. */
    public static Map<String, List<String>> of(CoderState state) {
        return state == CoderState.PLANNING ? PLANNING : CODING;
    }

    /** What is wrong with a signal, which any tool jar may send; empty when the turn can end with it. */
    public static Optional<String> fault(ToolSignal signal, Map<String, List<String>> accepted) {
        if (accepted.equals(ANY)) {
            return Optional.empty();
        }
        List<String> texts = accepted.get(signal.name());
        if (texts == null) {
            return Optional.of("its signal '" + signal.name() + "' is none of " + new TreeSet<>(accepted.keySet())
                    + ", which can end this turn");
        }
        Optional<String> faulty =
                signal.name().equals("review_complete") ? reviewFault(signal.data()) : Optional.empty();
        return faulty.isPresent() ? faulty : missing(signal, texts);
    }

    private static Optional<String> reviewFault(Map<String, Object> review) {
        String decision = String.valueOf(review.get("decision"));
        if (!DECISIONS.contains(decision)) {
            return Optional.of("its decision '" + decision + "' is none of " + DECISIONS);
        }
        boolean saysWhy = review.get("feedback") instanceof String feedback && !feedback.isBlank();
        return saysWhy || decision.equals(Architect.Decision.APPROVED.name())
                ? Optional.empty()
                : Optional.of("its decision " + decision + " has no text 'feedback'");
    }

    private static Optional<String> missing(ToolSignal signal, List<String> texts) {
        return texts.stream()
                .filter(name -> !(signal.data().get(name) instanceof String))
                .findFirst()
                .map(name -> "its signal '" + signal.name() + "' has no text '" + name + "'");
    }

    /** A text that belongs to a signal without fault, and may have been left out. */
    public static Optional<String> optionalText(ToolSignal signal, String name) {
        return signal.data().get(name) instanceof String text ? Optional.of(text) : Optional.empty();
    }

    /** A text that belongs to a signal without fault. */
    public static String text(ToolSignal signal, String name) {
        if (signal.data().get(name) instanceof String text) {
            return text;
        }
        throw new MaestroException("the signal " + signal.name() + " has no text '" + name + "'");
    }
}
