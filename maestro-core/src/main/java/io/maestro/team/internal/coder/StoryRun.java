package io.maestro.team.internal.coder;

import io.maestro.agent.Architect.Kind;
import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.git.internal.Workspace;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.architect.Requester;
import io.maestro.team.internal.dispatch.StoryProgress;
import io.maestro.team.internal.dispatch.StoryRows;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.MachineRun;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at one story, while it runs: the only writer of its progress, together with {@link CoderSandbox},
 * {@link Guidance}, {@link ReviewedWork}, {@link TurnResults} and {@link ImageChoice}. Used by the coder's thread, but for what
 * says otherwise.
 */
public final class StoryRun extends MachineRun<CoderState> implements Requester {
    /** States in which nobody works: the story waits for a reply, a service, or its turn. */
    private static final Set<CoderState> WAITS = EnumSet.of(
            CoderState.WAITING,
            CoderState.QUESTION,
            CoderState.PLAN_REVIEW,
            CoderState.CODE_REVIEW,
            CoderState.BUDGET_REVIEW,
            CoderState.AWAIT_MERGE,
            CoderState.SUSPEND);

    private final Story story;
    private final int attempt;
    private final String sessionId;
    private final String agentId;
    private final @Nullable String specId;
    private final Meter meter;
    private final StoryProgress progress;
    private final ImageChoice images;
    private final ReviewedWork work;
    private final TurnResults turns;
    private final Guidance guidance;
    private final CoderSandbox sandbox;
    private final boolean takenUp;
    private @Nullable String mergeCommit;
    private @Nullable String error;

    /**
     * An attempt that stands where its row says.
     *
     * @param agentId the coder, or the dispatcher before one has taken the story
     * @param specId the specification that the story comes from
     */
    public StoryRun(
            Story story,
            int attempt,
            String sessionId,
            String agentId,
            @Nullable String specId,
            Meter meter,
            StoryProgress progress,
            CoderState state,
            StopSignal stop) {
        super(state, stop);
        this.story = story;
        this.attempt = attempt;
        this.sessionId = sessionId;
        this.agentId = agentId;
        this.specId = specId;
        this.meter = meter;
        this.progress = progress;
        this.images = new ImageChoice(progress);
        this.work = new ReviewedWork(progress);
        this.turns = new TurnResults(progress);
        this.guidance = new Guidance(progress);
        this.sandbox = new CoderSandbox(this, progress);
        this.takenUp = state != CoderState.WAITING && state != CoderState.SETUP;
        moved(state);
    }

    @Override
    public Story story() {
        return story;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public int step() {
        return progress.step;
    }

    @Override
    public String agentId() {
        return agentId;
    }

    @Override
    public String sessionId() {
        return sessionId;
    }

    @Override
    public Optional<StopCause> stopCause() {
        return stop().cause();
    }

    @Override
    public Meter meter() {
        return meter;
    }

    @Override
    public long chatSince() {
        return progress.chatSince;
    }

    @Override
    public @Nullable String instructionsCommit() {
        return progress.instructionsCommit;
    }

    @Override
    public Map<String, String> factsForPeople(
            Kind kind, Map<String, String> facts, Supplier<List<Store.Effect>> earlier) {
        return RequestFacts.forPeople(this, kind, facts, earlier);
    }

    /** A coder takes the story: it reads the chat from here on. */
    public void readChatFrom(long newest) {
        progress.chatSince = newest;
    }

    // ---- The record

    /** Changes the progress in the middle of a state, and records it. Safe for use by several threads. */
    public void save(Store store, Runnable change) {
        write(() -> {
            change.run();
            store.saveStory(toRecord(state()));
        });
    }

    /** The story as it stands, for the record. */
    public Store.StoryRecord toRecord(CoderState as) {
        progress.workedMillis = meter.elapsed().toMillis();
        return StoryRows.of(
                story,
                specId,
                sessionId,
                attempt,
                as,
                new StoryRows.Work(agentId, branch().orElse(null), mergeCommit, error),
                progress);
    }

    private Optional<String> branch() {
        return sandbox.ownWorkspace().map(Workspace::branch);
    }

    @Override
    public Optional<String> committedBranch() {
        return work.isCommitted() ? branch() : Optional.empty();
    }

    /** A change of state: the next step has another number. A step that SUSPEND interrupts goes on. */
    void nextStep() {
        progress.step++;
    }

    // ---- Where it works

    /** Its workspace, and the environment of its commands. */
    public CoderSandbox sandbox() {
        return sandbox;
    }

    /** Where its files are. */
    public Workspace workspace() {
        return sandbox.workspace();
    }

    /** What its commands run in. */
    public Environment environment() {
        return sandbox.environment();
    }

    /** The container images. */
    ImageChoice images() {
        return images;
    }

    // ---- Time and outages

    @Override
    protected final void moved(CoderState to) {
        if (WAITS.contains(to)) {
            meter.pause();
        } else {
            meter.work();
        }
    }

    @Override
    public @Nullable CoderState suspendedIn() {
        return progress.suspended;
    }

    @Override
    protected void suspendIn(CoderState origin, String shown) {
        progress.suspended = origin;
    }

    @Override
    protected @Nullable Long workedAt(RetriableException failure) {
        return failure instanceof LlmUnavailableException ? meter.answeredAt() : sandbox.answeredAt();
    }

    /** SETUP asks whatever the later states need. */
    @Override
    protected boolean isTakenUp() {
        return takenUp;
    }

    // ---- What the coder is told

    /** What the coder is to be told. */
    public Guidance guidance() {
        return guidance;
    }

    // ---- What the coder says

    /** What the coder's turns have come to. */
    TurnResults turns() {
        return turns;
    }

    /** The coder asks, and goes on in this state when it is answered. */
    void asks(String question) {
        progress.origin = state();
        turns.asked(question);
    }

    /** The architect is asked in the coder's place, which goes on with CODING when there is an answer. */
    void asksBeforeCoding(String question) {
        progress.origin = CoderState.CODING;
        turns.asked(question);
    }

    /** A budget is used up in this state. */
    void overBudget(String facts) {
        progress.origin = state();
        turns.usedUp(facts);
    }

    /** Where QUESTION and BUDGET_REVIEW go back to. */
    CoderState origin() {
        CoderState origin = progress.origin;
        if (origin == null) {
            throw new MaestroException(this + " came into " + state() + " from nowhere");
        }
        return origin;
    }

    /** How often a state has sent the coder back to work, and may have done so once more. */
    int returnedBy(CoderState state) {
        return progress.returns.getOrDefault(state, 0);
    }

    /** A state sends the coder back to work; how often it has now. */
    int returnBy(CoderState state) {
        return progress.returns.merge(state, 1, Integer::sum);
    }

    /** The budget is granted once more. */
    void granted() {
        meter.grant();
        progress.grants++;
    }

    // ---- A program's sessions

    /** The session of the program that works in this state, by its own name for it. */
    public Optional<String> session(CoderState state) {
        return Optional.ofNullable(progress.sessions.get(state));
    }

    /** Notes it. */
    public void session(Store store, CoderState state, String id) {
        save(store, () -> progress.sessions.put(state, id));
    }

    /** The program's call that ended its last turn, when the coder has stayed in its state after all. */
    public @Nullable String actedOn() {
        return progress.actedOn;
    }

    /** The coder stays in its state although a call has ended its program's turn, and is told why. */
    public void stay(Store store, @Nullable String endedBy, String why) {
        save(store, () -> {
            guidance.tell(why);
            progress.actedOn = endedBy;
        });
    }

    // ---- Tests, review and merge

    /** The branch to merge into is known. */
    void mergesInto(String targetBranch) {
        progress.targetBranch = targetBranch;
    }

    /** The branch to merge into; null before SETUP. */
    @Nullable
    String target() {
        return progress.targetBranch;
    }

    /** Commits of earlier attempts; the story is merged when the target has one of them. */
    List<String> earlierCommits() {
        return progress.earlierCommits;
    }

    /** The work is on its branch in the real repository. */
    void pushed() {
        progress.pushedBranches.add(workspace().branch());
    }

    /** The commit that the work is compared with. */
    String baseCommit() {
        return String.valueOf(progress.baseCommit);
    }

    /** The target's changes are in the workspace: from now on the work is compared with that commit. */
    void rebased() {
        progress.baseCommit = workspace().baseCommit();
    }

    /** A tip of the target branch is in the workspace, in this step. */
    void broughtIn(String tip) {
        progress.tips.put(progress.step, tip);
    }

    /** What was tested, reviewed and agreed to. */
    ReviewedWork work() {
        return work;
    }

    /** A merge is begun: from now on the work may be on the target although no row says so. */
    void merging(Store store) {
        if (!progress.mayBeMerged) {
            // The reply may have taken days: the record takes this only while the story is still this process's.
            save(store, () -> progress.mayBeMerged = true);
        }
    }

    /** The merge that was begun has come to nothing. */
    void notMerged() {
        progress.mayBeMerged = false;
    }

    /** The work is on the target. */
    void merged(String commit) {
        progress.mayBeMerged = false;
        mergeCommit = commit;
    }

    /** The commit on the target; null while there is none. */
    @Nullable
    String mergeCommit() {
        return mergeCommit;
    }

    // ---- The end

    /** Notes how it ends. */
    void ended(StoryResult.Outcome outcome, @Nullable String why) {
        progress.outcome = outcome;
        error = why;
    }

    /** What became of it. */
    StoryResult result() {
        StoryResult.Outcome outcome = progress.outcome;
        return new StoryResult(
                story.id(),
                attempt,
                outcome == null ? StoryResult.Outcome.FAILED : outcome,
                Optional.ofNullable(work.tests()),
                Optional.ofNullable(mergeCommit),
                branch(),
                Optional.ofNullable(error),
                meter.usage(),
                meter.knownCost(),
                meter.elapsed(),
                List.of());
    }

    @Override
    protected String kind() {
        return "story";
    }

    @Override
    protected String id() {
        return story.id();
    }

    @Override
    public String toString() {
        return "story " + story.id();
    }
}
