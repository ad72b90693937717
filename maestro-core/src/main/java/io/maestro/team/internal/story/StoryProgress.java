package io.maestro.team.internal.story;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.error.MaestroException;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a coder has to know to go on with its story: the steps of the attempt, and a part for each thing that has come of them.
 * Stored with every change of state, as one flat JSON object of the fields of all parts. Used by one thread at a time.
 */
public final class StoryProgress {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .visibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.SETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_DEFAULT, JsonInclude.Include.ALWAYS))
            .build();

    private int step;
    private long chatSince;
    private @Nullable CoderState origin;
    private @Nullable CoderState suspended;

    /** How often the coder was sent back to work, by the state that sent it. */
    private Map<CoderState, Integer> returns = new EnumMap<>(CoderState.class);

    private StoryResult.@Nullable Outcome outcome;

    @JsonUnwrapped
    private AttemptCheckout checkout = new AttemptCheckout();

    @JsonUnwrapped
    private PublishedWork published = new PublishedWork();

    @JsonUnwrapped
    private BudgetUse budget = new BudgetUse();

    @JsonUnwrapped
    private TurnResults turns = new TurnResults();

    @JsonUnwrapped
    private ReviewedWork work = new ReviewedWork();

    @JsonUnwrapped
    private ImageChoice images = new ImageChoice();

    @JsonUnwrapped
    private Guidance guidance = new Guidance();

    @JsonUnwrapped
    private ProgramSessions sessions = new ProgramSessions();

    /** New stories start empty. */
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
                progress.guidance.takenUp();
                return progress;
            }
            throw new MaestroException("the progress of a story is not readable: " + json);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the progress of a story is not readable: " + json, e);
        }
    }

    /**
     * What the next attempt must know of this one.
     *
     * @param mayBeMerged whether a merge was begun whose end is not known
     */
    StoryProgress next(boolean mayBeMerged) {
        StoryProgress next = new StoryProgress();
        next.published = published.next(mayBeMerged, work.isCommitted() ? work.commit() : null);
        if (mayBeMerged) {
            next.work = work.next();
            next.images = images.next();
        }
        return next;
    }

    /**
     * The same for an attempt that takes the place of this one, whose process was killed. Nobody has asked for it: what the story
     * may cost stays the same, however often that happens.
     *
     * @param attempt the number of this one
     */
    StoryProgress instead(boolean mayBeMerged, int attempt) {
        StoryProgress next = next(mayBeMerged);
        next.budget = budget.goingOn(attempt);
        Integer reviews = returns.get(CoderState.BUDGET_REVIEW);
        if (reviews != null) {
            next.returns.put(CoderState.BUDGET_REVIEW, reviews);
        }
        return next;
    }

    /** Goes on in a state after its end: with its rounds begun anew, and in a step of its own, so that the architect is asked again. */
    void reopen(CoderState state, int grants) {
        suspended = state;
        outcome = null;
        returns.clear();
        budget.grantedInAll(grants);
        step++;
    }

    // ---- The parts

    /** Where the attempt works. */
    public AttemptCheckout checkout() {
        return checkout;
    }

    /** What of it may be in the real repository. */
    public PublishedWork published() {
        return published;
    }

    /** What it has used of its budget. */
    public BudgetUse budget() {
        return budget;
    }

    /** What the coder's turns have come to. */
    public TurnResults turns() {
        return turns;
    }

    /** What was tested, reviewed and agreed to. */
    public ReviewedWork work() {
        return work;
    }

    /** The container images. */
    public ImageChoice images() {
        return images;
    }

    /** What the coder is to be told. */
    public Guidance guidance() {
        return guidance;
    }

    /** The sessions of the program that works in the place of a model. */
    public ProgramSessions sessions() {
        return sessions;
    }

    // ---- Its steps

    /** How many steps there were, which are states that were entered; one that SUSPEND interrupts goes on. Identifies the requests of an attempt. */
    public int step() {
        return step;
    }

    /** Another state is entered. */
    public void nextStep() {
        step++;
    }

    /** The newest message of the chat when a coder took the story; what came before is none of its business. */
    public long chatSince() {
        return chatSince;
    }

    /** A coder takes the story. */
    public void readChatFrom(long newest) {
        chatSince = newest;
    }

    /** Where QUESTION and BUDGET_REVIEW go back to; null before the first of them. */
    public @Nullable CoderState origin() {
        return origin;
    }

    /** QUESTION or BUDGET_REVIEW is about to be entered. */
    public void comesBackTo(CoderState state) {
        origin = state;
    }

    /** Where SUSPEND goes back to; QUESTION itself can be suspended, so this is not {@link #origin}. Null before the first suspension. */
    public @Nullable CoderState suspended() {
        return suspended;
    }

    /** SUSPEND is about to be entered. */
    public void suspendIn(CoderState state) {
        suspended = state;
    }

    /** How often a state has sent the coder back to work. */
    public int returnedBy(CoderState state) {
        return returns.getOrDefault(state, 0);
    }

    /** A state sends the coder back to work; how often it has now. */
    public int returnBy(CoderState state) {
        return returns.merge(state, 1, Integer::sum);
    }

    /** How it ended; null before the end. */
    public StoryResult.@Nullable Outcome outcome() {
        return outcome;
    }

    /** Notes how it ends. */
    public void ended(StoryResult.Outcome how) {
        outcome = how;
    }
}
