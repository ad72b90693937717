package io.maestro.team.internal.dispatch;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.agent.CoderState;
import io.maestro.error.MaestroException;
import io.maestro.story.StoryResult;
import io.maestro.story.TestOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a coder has to know to go on with its story; stored as JSON with every change of state. Used by one thread at a time.
 * The fields are public for Jackson.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public final class StoryProgress {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** How many steps there were, which are states that were entered; one that SUSPEND interrupts goes on. Identifies the requests of an attempt. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public int step;
    /** Marks the workspace of this attempt; null before SETUP. */
    public @Nullable String workspaceId;
    /** The directory of this attempt as its commands see it, under each name that it has had; a replay works in another one. */
    public Set<String> workingDirectories = new LinkedHashSet<>();
    /** Whether the setup command has run in it. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public boolean setUp;
    /** Commits of earlier attempts that may have been merged: when one of them is on the target branch, the story is done. */
    public List<String> earlierCommits = new ArrayList<>();
    /** The branches that this attempt and those before it have pushed, and that may still be in the real repository. */
    public Set<String> pushedBranches = new LinkedHashSet<>();
    /** The newest message of the chat when a coder took the story; what came before is none of its business. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public long chatSince;
    /** How long the story was worked on, in milliseconds, up to the last change of state. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public long workedMillis;
    /** How often the architect has granted more budget. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public int grants;
    /** The first attempt whose cost counts for this one's budget; 0 when it is this one. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public int budgetFrom;
    /** The branch to merge into; null before SETUP. */
    public @Nullable String targetBranch;
    /** The commit that the work is compared with; null before SETUP. */
    public @Nullable String baseCommit;
    /** The commit of the target branch that the workspace began with, whose instructions hold for the attempt; null before SETUP. */
    public @Nullable String instructionsCommit;
    /** The tips of the target branch that came into the work in PREPARE_MERGE, by step: a replay brings them in again. */
    public Map<Integer, String> tips = new TreeMap<>();
    /** The plan, submitted or approved. */
    public @Nullable String plan;
    /** Why the coder says that there is nothing to do. */
    public @Nullable String claim;
    /** What the coder says it has changed. */
    public @Nullable String summary;
    /** What the coder asks. */
    public @Nullable String question;
    /** Why a budget is used up. */
    public @Nullable String budgetFacts;
    /** How the project's tests went; null while they were not needed. */
    public @Nullable TestOutcome tests;
    /** What they have printed. */
    public @Nullable String testReport;
    /** The same in one line. */
    public @Nullable String testHeadline;
    /** The tree that the architect was last asked to review. */
    public @Nullable String shownTree;
    /** The step in which it was. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public int shownStep;
    /** The tree that the architect approved; in PREPARE_MERGE and AWAIT_MERGE with the target branch's own changes in it. */
    public @Nullable String reviewedTree;
    /** The tree that the tests were last run on, or could not be; null when they failed. */
    public @Nullable String testedTree;
    /** How the tests went without the change; null while nobody had to know it. */
    public @Nullable Baseline baseline;
    /** The {@link #reviewedTree} whose merge the architect has agreed to. */
    public @Nullable String mergeApproved;
    /** How the tests had gone when it did. */
    public @Nullable TestOutcome agreedTests;
    /** The commit on the story's branch. */
    public @Nullable String commit;
    /** Where QUESTION, BUDGET_REVIEW or SUSPEND goes back to. */
    public @Nullable CoderState origin;
    /** Where SUSPEND goes back to; QUESTION itself can be suspended, so this is not {@link #origin}. */
    public @Nullable CoderState suspended;
    /** Whether the work may be on the target branch although no row says so: the merge was begun, and its end is not known. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public boolean mayBeMerged;
    /** Whether the coder wants the project to use another container image, by a call of {@code container_update}. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public boolean containerModified;
    /** That image; null unless {@link #containerModified}. */
    public @Nullable String newContainerImage;
    /** The image that commands run in, when the coder has chosen it for itself or for the project; null for the project's. */
    public @Nullable String currentImage;
    /** How many calls that change the container are taken note of. */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public int containerChanges;
    /** The image of an earlier attempt, which becomes the project's own if that attempt was merged. */
    public @Nullable String imageIfMerged;
    /** What the model must be told in its next turn: answers, feedback, failures. */
    public List<String> guidance = new ArrayList<>();
    /** The sessions of the program that works in a state, by its own names for them. */
    public Map<CoderState, String> sessions = new EnumMap<>(CoderState.class);
    /** The program's call that ended its last turn, when the coder has stayed in its state after all. */
    public @Nullable String actedOn;
    /** How often the coder was sent back to work, by the state that sent it. */
    public Map<CoderState, Integer> returns = new EnumMap<>(CoderState.class);
    /** How it ended; null before the end. */
    public StoryResult.@Nullable Outcome outcome;

    /**
     * How the project's tests went on a commit of the target branch, in the project's own image.
     *
     * @param commit which one
     * @param services which services of its files they had; empty for none
     * @param verdict the name of it
     * @param headline one line
     * @param failures the names of the tests that failed
     * @param passing how many tests have passed; null when that is not known
     */
    public record Baseline(
            String commit,
            String services,
            String verdict,
            String headline,
            List<String> failures,
            @Nullable Integer passing) {}

    /** Jackson and new stories start empty. */
    public StoryProgress() {}

    public String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the progress of a story cannot be written as JSON", e);
        }
    }

    public static StoryProgress fromJson(String json) {
        try {
            StoryProgress progress = JSON.readValue(json, StoryProgress.class);
            if (progress != null) {
                return progress;
            }
            throw new MaestroException("the progress of a story is not readable: " + json);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the progress of a story is not readable: " + json, e);
        }
    }
}
