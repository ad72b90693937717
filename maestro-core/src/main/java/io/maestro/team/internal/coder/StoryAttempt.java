package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.git.internal.Workspace;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.architect.Requester;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.MachineRun;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.AttemptCheckout;
import io.maestro.team.internal.story.Guidance;
import io.maestro.team.internal.story.ImageChoice;
import io.maestro.team.internal.story.ReviewedWork;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.team.internal.story.TurnResults;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One attempt at one story, while it runs. Used by the coder's thread, but for what says otherwise. */
public final class StoryAttempt extends MachineRun<CoderState> implements Requester {
    /** States in which nobody works: the story waits for a reply, a service, or its turn. */
    private static final Set<CoderState> WAITS = EnumSet.of(
            CoderState.WAITING,
            CoderState.QUESTION,
            CoderState.PLAN_REVIEW,
            CoderState.CODE_REVIEW,
            CoderState.BUDGET_REVIEW,
            CoderState.AWAIT_MERGE,
            CoderState.SUSPEND);

    private final Assignment assignment;
    private final Meter meter;
    private final StoryProgress progress;
    private final CoderSandbox sandbox;
    private final boolean takenUp;
    private final boolean begunToMerge;
    private @Nullable String mergeCommit;
    private @Nullable String error;

    /**
     * Which attempt it is, and who works on it.
     *
     * @param agentId the coder, or the dispatcher before one has taken the story
     * @param specId the specification that the story comes from
     */
    public record Assignment(
            Story story,
            int attempt,
            String sessionId,
            String agentId,
            @Nullable String specId) {}

    /** An attempt that stands where its row says. */
    public StoryAttempt(Assignment assignment, Meter meter, StoryProgress progress, CoderState state, StopSignal stop) {
        super(state, stop);
        this.assignment = assignment;
        this.meter = meter;
        this.progress = progress;
        this.sandbox = new CoderSandbox(this, progress);
        this.begunToMerge = MergeTurns.isMerging(state);
        this.takenUp = state != CoderState.WAITING && state != CoderState.SETUP;
        moved(state);
    }

    @Override
    public Story story() {
        return assignment.story();
    }

    @Override
    public int attempt() {
        return assignment.attempt();
    }

    @Override
    public int step() {
        return progress.step();
    }

    @Override
    public String agentId() {
        return assignment.agentId();
    }

    @Override
    public String sessionId() {
        return assignment.sessionId();
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
        return progress.chatSince();
    }

    @Override
    public @Nullable String instructionsCommit() {
        return progress.checkout().instructionsCommit();
    }

    @Override
    public Map<String, String> factsForPeople(
            Kind kind, Map<String, String> facts, Supplier<List<AuditLog.Effect>> earlier) {
        return RequestFacts.forPeople(this, kind, facts, earlier);
    }

    /** How far it has come; what it has is written by its parts. */
    public StoryProgress progress() {
        return progress;
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
    public AuditLog.StoryRecord toRecord(CoderState as) {
        progress.budget().worked(meter.elapsed());
        return StoryRows.of(
                story(),
                assignment.specId(),
                sessionId(),
                attempt(),
                as,
                new StoryRows.WorkSoFar(agentId(), branch().orElse(null), mergeCommit, error),
                progress);
    }

    private Optional<String> branch() {
        return sandbox.ownWorkspace().map(Workspace::branch);
    }

    @Override
    public Optional<String> committedBranch() {
        return work().isCommitted() ? branch() : Optional.empty();
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

    /** What the record has of them. */
    AttemptCheckout checkout() {
        return progress.checkout();
    }

    /** What its commands run in. */
    public Environment environment() {
        return sandbox.environment();
    }

    /** The container images. */
    ImageChoice images() {
        return progress.images();
    }

    /**
     * The coder is to work, who is one of so many. A story that was begun to be merged is beside them.
     *
     * @throws ParkedException in that case: it goes on as soon as one more coder may work
     */
    void requireCoder() {
        if (begunToMerge) {
            throw new ParkedException("a coder", CompletableFuture.completedFuture(null));
        }
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
        return progress.suspended();
    }

    @Override
    protected void suspendIn(CoderState origin, String shown) {
        progress.suspendIn(origin);
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
        return progress.guidance();
    }

    /**
     * Tells the coder what the architect has replied, with an approval too: guidance that gets lost makes two agents go round
     * in circles.
     *
     * @param what what was decided on, as in "your plan"
     * @return whether the story goes forward; otherwise the coder must change something
     * @throws RejectedException when the story ends here
     */
    boolean approved(Architect.Reply reply, String what) {
        String message = reply.message().isBlank() ? "(no reason given)" : reply.message();
        switch (reply.decision()) {
            case REJECTED:
                throw new RejectedException("the architect rejected " + what + ": " + message);
            case NEEDS_CHANGES:
                guidance().tell("The architect wants changes to " + what + ":\n\n" + message);
                return false;
            default:
                if (!reply.message().isBlank()) {
                    guidance().tell("The architect approved " + what + " and says:\n\n" + message);
                }
                return true;
        }
    }

    // ---- What the coder says

    /** What the coder's turns have come to. */
    TurnResults turns() {
        return progress.turns();
    }

    /** The coder asks, and goes on in this state when it is answered. */
    void asks(String question) {
        progress.comesBackTo(state());
        turns().asked(question);
    }

    /** The architect is asked in the coder's place, which goes on with CODING when there is an answer. */
    void asksBeforeCoding(String question) {
        progress.comesBackTo(CoderState.CODING);
        turns().asked(question);
    }

    /** A budget is used up in this state. */
    void overBudget(String facts) {
        progress.comesBackTo(state());
        turns().usedUp(facts);
    }

    /** Where QUESTION and BUDGET_REVIEW go back to. */
    CoderState origin() {
        CoderState origin = progress.origin();
        if (origin == null) {
            throw new MaestroException(this + " came into " + state() + " from nowhere");
        }
        return origin;
    }

    /** The budget is granted once more. */
    void granted() {
        meter.grant();
        progress.budget().grant();
    }

    /** The coder stays in its state although a call has ended its program's turn, and is told why. */
    public void stay(Store store, @Nullable String endedBy, String why) {
        save(store, () -> {
            guidance().tell(why);
            progress.sessions().stay(endedBy);
        });
    }

    // ---- Tests, review and merge

    /** The work is on its branch in the real repository. */
    void pushed() {
        progress.published().pushed(workspace().branch());
    }

    /** The commit that the work is compared with. */
    String baseCommit() {
        return String.valueOf(work().baseCommit());
    }

    /** The target's changes are in the workspace: from now on the work is compared with that commit. */
    void rebased() {
        work().comparedWith(workspace().baseCommit());
    }

    /** A tip of the target branch is in the workspace, in this step. */
    void broughtIn(String tip) {
        checkout().broughtIn(step(), tip);
    }

    /** All tips of the target branch that were in the workspace when it was committed. */
    Collection<String> tips() {
        return checkout().tips().values();
    }

    /** What was tested, reviewed and agreed to. */
    ReviewedWork work() {
        return progress.work();
    }

    /** A merge is begun: from now on the work may be on the target although no row says so. */
    void merging(Store store) {
        if (!progress.published().mayBeMerged()) {
            // The reply may have taken days: the record takes this only while the story is still this process's.
            save(store, progress.published()::merging);
        }
    }

    /** The merge that was begun has come to nothing. */
    void notMerged() {
        progress.published().mergeEnded();
    }

    /** The work is on the target. */
    void merged(String commit) {
        progress.published().mergeEnded();
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
        progress.ended(outcome);
        error = why;
    }

    /** What became of it. */
    StoryResult result() {
        StoryResult.Outcome outcome = progress.outcome();
        return new StoryResult(
                story().id(),
                attempt(),
                outcome == null ? StoryResult.Outcome.FAILED : outcome,
                Optional.ofNullable(work().tests()),
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
        return story().id();
    }

    @Override
    public String toString() {
        return "story " + story().id();
    }
}
