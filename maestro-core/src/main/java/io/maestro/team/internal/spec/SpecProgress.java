package io.maestro.team.internal.spec;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.story.TestOutcome;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the architect has to know to go on with a specification; stored as JSON with every change of state. Used by one thread
 * at a time.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
final class SpecProgress {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
            .build();

    /** In milliseconds since 1970. */
    private long startedAt;

    private int visits;
    private long chatSince;
    private @Nullable String editing;
    private @Nullable Ended failure;
    private Map<String, Integer> edits = new LinkedHashMap<>();
    private Map<String, Ended> ended = new LinkedHashMap<>();

    /** Why stories will not be begun, by their ids. */
    private Map<String, String> givenUp = new LinkedHashMap<>();

    private @Nullable ArchitectState suspended;
    private SpecResult.@Nullable Outcome outcome;

    /** Jackson and new specifications start empty. */
    SpecProgress() {}

    /**
     * A story's result, as JSON can have it.
     *
     * @param outcome see StoryResult
     * @param tests null where StoryResult has none
     * @param attempt see StoryResult
     * @param mergeCommit null where StoryResult has none
     * @param branch null where StoryResult has none
     * @param error null where StoryResult has none
     * @param spent what it has used
     */
    record Ended(
            StoryResult.Outcome outcome,
            @Nullable TestOutcome tests,
            int attempt,
            @Nullable String mergeCommit,
            @Nullable String branch,
            @Nullable String error,
            Spent spent) {
        /**
         * What a story has used.
         *
         * @param usage see StoryResult
         * @param cost null where StoryResult has none
         * @param millis the duration
         */
        record Spent(Usage usage, @Nullable BigDecimal cost, long millis) {
            static final Spent NOTHING = new Spent(Usage.NONE, null, 0);
        }

        static Ended of(StoryResult result) {
            return new Ended(
                    result.outcome(),
                    result.tests().orElse(null),
                    result.attempt(),
                    result.mergeCommit().orElse(null),
                    result.branch().orElse(null),
                    result.error().orElse(null),
                    new Spent(
                            result.usage(),
                            result.cost().orElse(null),
                            result.duration().toMillis()));
        }

        /** The end of a story about which there is no more to say than why it came to none. */
        static Ended without(StoryResult.Outcome outcome, int attempt, String reason) {
            return new Ended(outcome, null, attempt, null, null, reason, Spent.NOTHING);
        }

        Ended withError(String reason) {
            return new Ended(outcome, tests, attempt, mergeCommit, branch, reason, spent);
        }

        boolean successful() {
            return outcome == StoryResult.Outcome.MERGED || outcome == StoryResult.Outcome.NO_CHANGE;
        }

        StoryResult toResult(String storyId) {
            return new StoryResult(
                    storyId,
                    attempt,
                    outcome,
                    Optional.ofNullable(tests),
                    Optional.ofNullable(mergeCommit),
                    Optional.ofNullable(branch),
                    Optional.ofNullable(error),
                    spent.usage(),
                    Optional.ofNullable(spent.cost()),
                    Duration.ofMillis(spent.millis()),
                    List.of());
        }
    }

    String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the progress of a specification cannot be written as JSON", e);
        }
    }

    static SpecProgress fromJson(String json) {
        try {
            SpecProgress progress = JSON.readValue(json, SpecProgress.class);
            if (progress != null) {
                return progress;
            }
            throw new MaestroException("the progress of a specification is not readable: " + json);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the progress of a specification is not readable: " + json, e);
        }
    }

    // ---- Its beginning

    /** It comes in; what came in the chat before the newest message of then is none of its business. */
    void begin(long newest) {
        startedAt = System.currentTimeMillis();
        chatSince = newest;
    }

    /** It begins again with what is not done of it. */
    void beginAgain() {
        startedAt = System.currentTimeMillis();
        outcome = null;
        edits.clear();
        endEdit();
        ended.values().removeIf(story -> !story.successful());
    }

    /** What would not be begun may be, this time. */
    void forgetGivenUp() {
        givenUp.clear();
    }

    /** When it came in. */
    Instant startedAt() {
        return Instant.ofEpochMilli(startedAt);
    }

    /** The newest message of the chat when the work was begun. */
    long chatSince() {
        return chatSince;
    }

    /** SCOPING or EDITING is begun. */
    void visit() {
        visits++;
    }

    /** How often SCOPING or EDITING was begun: numbers the conversations. SUSPEND goes back to the same one. */
    int visits() {
        return visits;
    }

    // ---- Its stories

    /** The stories that need nothing more, by their ids. */
    Map<String, Ended> ended() {
        return Collections.unmodifiableMap(ended);
    }

    /** A story has ended, and needs nothing more. */
    void ended(StoryResult result) {
        ended.put(result.storyId(), Ended.of(result));
    }

    /** A story will not be begun. */
    void giveUp(AuditLog.StoryRecord story, String reason) {
        givenUp.put(story.id(), reason);
        ended.put(story.id(), Ended.without(StoryResult.Outcome.FAILED, story.attempt(), reason));
    }

    /** Whether a story will not be begun. */
    boolean isGivenUp(String storyId) {
        return givenUp.containsKey(storyId);
    }

    /** A story is to be edited because of how its attempt has ended. */
    void edit(StoryResult result) {
        editing = result.storyId();
        failure = Ended.of(result);
        visit();
    }

    /** The story that is edited; null in other states than EDITING and SUSPEND. */
    @Nullable
    String editing() {
        return editing;
    }

    /** How the attempt ended because of which the story is edited. */
    @Nullable
    Ended failure() {
        return failure;
    }

    /** The story is rewritten. */
    void edited(String storyId) {
        edits.merge(storyId, 1, Integer::sum);
        endEdit();
    }

    /** The story is not rewritten: it needs nothing more. */
    void giveUpEdited(String storyId, Ended last, String reason) {
        ended.put(storyId, last.withError((last.error() == null ? "" : last.error() + "; ") + reason));
        endEdit();
    }

    private void endEdit() {
        editing = null;
        failure = null;
    }

    /** How often a story was rewritten. */
    int edits(String storyId) {
        return edits.getOrDefault(storyId, 0);
    }

    // ---- The state machine

    /** Where SUSPEND goes back to; null before the first suspension. */
    @Nullable
    ArchitectState suspended() {
        return suspended;
    }

    /** SUSPEND is about to be entered. */
    void suspendIn(ArchitectState state) {
        suspended = state;
    }

    /** How it ended; null before the end. */
    SpecResult.@Nullable Outcome outcome() {
        return outcome;
    }

    /** Notes how it ends. */
    void ended(SpecResult.Outcome how) {
        outcome = how;
    }
}
