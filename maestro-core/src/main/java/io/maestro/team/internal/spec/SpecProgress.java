package io.maestro.team.internal.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.agent.ArchitectState;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.story.TestOutcome;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the architect has to know to go on with a specification; stored as JSON with every change of state. Used by one thread
 * at a time. The fields are public for Jackson.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public final class SpecProgress {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** When it came in, in milliseconds since 1970. */
    public long startedAt;
    /** How often SCOPING or EDITING was begun: numbers the conversations. SUSPEND goes back to the same one. */
    public int visits;
    /** The newest message of the chat when the work was begun; what came before is none of its business. */
    public long chatSince;
    /** The story that is edited; null in other states than EDITING and SUSPEND. */
    public @Nullable String editing;
    /** How the attempt ended because of which the story is edited. */
    public @Nullable Ended failure;
    /** How often stories were rewritten, by their ids. */
    public Map<String, Integer> edits = new LinkedHashMap<>();
    /** The stories that need nothing more, by their ids. */
    public Map<String, Ended> ended = new LinkedHashMap<>();
    /** Why stories will not be begun, by their ids. */
    public Map<String, String> givenUp = new LinkedHashMap<>();
    /** Where SUSPEND goes back to. */
    public @Nullable ArchitectState suspended;
    /** What is down. */
    public @Nullable String suspendedBy;
    /** When the first of a row of suspensions was, in milliseconds since 1970. */
    public long suspendedSince;
    /** How often in a row it was suspended; 0 when what was down is up again. */
    public int suspensions;
    /** How it ended; null before the end. */
    public SpecResult.@Nullable Outcome outcome;

    /** Jackson and new specifications start empty. */
    public SpecProgress() {}

    /**
     * A story's result, as JSON can have it.
     *
     * @param outcome see StoryResult
     * @param tests null where StoryResult has none
     * @param attempt see StoryResult
     * @param mergeCommit null where StoryResult has none
     * @param branch null where StoryResult has none
     * @param error null where StoryResult has none
     * @param usage see StoryResult
     * @param cost null where StoryResult has none
     * @param millis the duration
     */
    public record Ended(
            StoryResult.Outcome outcome,
            @Nullable TestOutcome tests,
            int attempt,
            @Nullable String mergeCommit,
            @Nullable String branch,
            @Nullable String error,
            Usage usage,
            @Nullable BigDecimal cost,
            long millis) {
        static Ended of(StoryResult result) {
            return new Ended(
                    result.outcome(),
                    result.tests().orElse(null),
                    result.attempt(),
                    result.mergeCommit().orElse(null),
                    result.branch().orElse(null),
                    result.error().orElse(null),
                    result.usage(),
                    result.cost().orElse(null),
                    result.duration().toMillis());
        }

        /** The end of a story about which there is no more to say than why it came to none. */
        static Ended without(StoryResult.Outcome outcome, int attempt, String reason) {
            return new Ended(outcome, null, attempt, null, null, reason, Usage.NONE, null, 0);
        }

        Ended withError(String reason) {
            return new Ended(outcome, tests, attempt, mergeCommit, branch, reason, usage, cost, millis);
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
                    usage,
                    Optional.ofNullable(cost),
                    Duration.ofMillis(millis),
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
}
