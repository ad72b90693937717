package io.maestro.testkit;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where a script stands. Not thread-safe: {@link ScriptedLlm} holds its lock around each call. */
final class ScriptPlayer {
    private final String title;
    private final String idPrefix;
    private final List<Turn> turns;
    private final boolean endless;
    private int played;
    private int toolUses;
    private @Nullable ScriptViolationException violation;

    ScriptPlayer(String title, String idPrefix, Script script) {
        this.title = title;
        this.idPrefix = idPrefix;
        this.turns = script.turns();
        this.endless = script.endless();
    }

    /** The turn for the request; throws, and remembers it, when there is none or it does not fit. */
    Turn next(LlmRequest request) {
        if (violation != null) {
            throw new ScriptViolationException(
                    title + " was left before and answers nothing more; it was left so: " + violation.getMessage(),
                    violation);
        }
        Optional<String> fault = Conversation.fault(request.messages());
        if (fault.isPresent()) {
            throw leave(request, "a conversation that a model's service takes", fault.get(), null);
        }
        if (turns.isEmpty()) {
            throw leave(request, "no request: there is no turn for this story", "a request", null);
        }
        if (played >= turns.size() && !endless) {
            throw leave(request, "no further request: all " + turns.size() + " turns are played", "a request", null);
        }
        Turn turn = turns.get(Math.min(played, turns.size() - 1));
        List<String> unfulfilled = turn.unfulfilled(request);
        if (!unfulfilled.isEmpty()) {
            throw leave(request, turn.toString(), "not so: " + String.join(", ", unfulfilled), null);
        }
        played++;
        return turn;
    }

    /** A violation that is remembered; the turn it belongs to is the next one, or with a cause the one just played. */
    ScriptViolationException leave(LlmRequest request, String expected, String came, @Nullable Throwable cause) {
        int turn = cause == null ? played + 1 : played;
        LlmRequest.Origin origin = request.origin();
        ScriptViolationException left = new ScriptViolationException(
                title + " was left at turn " + turn + " of " + (endless ? "endlessly many" : turns.size()) + ": "
                        + origin.agentId() + " asked for story " + origin.storyId() + " in " + origin.state()
                        + "\n  expected: " + expected
                        + "\n  came: " + came
                        + "\n  last user message: " + Conversation.shortened(Conversation.lastUserText(request)),
                cause);
        if (violation == null) {
            violation = left;
        }
        return left;
    }

    /** Gives ids that the conversation has not: it may have been begun with another instance of the script, before a restart. */
    List<LlmContent> withIds(List<LlmContent> content, LlmRequest request) {
        Set<String> taken = request.messages().stream()
                .flatMap(message -> message.content().stream())
                .filter(LlmContent.ToolUse.class::isInstance)
                .map(part -> ((LlmContent.ToolUse) part).id())
                .collect(Collectors.toSet());
        return content.stream().map(part -> withId(part, taken)).toList();
    }

    private LlmContent withId(LlmContent part, Set<String> taken) {
        if (!(part instanceof LlmContent.ToolUse use)) {
            return part;
        }
        String id;
        do {
            toolUses++;
            id = String.format(Locale.ROOT, "%s_%04d", idPrefix, toolUses);
        } while (taken.contains(id));
        return new LlmContent.ToolUse(id, use.name(), use.input());
    }

    Optional<ScriptViolationException> violation() {
        return Optional.ofNullable(violation);
    }

    /** The turns that were not played, in words; an endless one need not be. */
    Optional<String> unplayed() {
        int needed = endless ? turns.size() - 1 : turns.size();
        return played >= needed
                ? Optional.empty()
                : Optional.of(title + ": " + played + " of " + needed + " turns were played; the next would be: "
                        + turns.get(played));
    }
}
