package io.maestro;

import io.maestro.agent.AgentStatus;
import io.maestro.chat.Chat;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.git.StaleBranch;
import io.maestro.inbox.Inbox;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellations;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.report.RunReport;
import io.maestro.runtime.ToolRegistry;
import io.maestro.settings.Settings;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.Team;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.team.internal.spec.RunningSpec;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A team of AI coding agents that works on one repository. Build it, {@linkplain #run run} stories, close it. Several may
 * live in one JVM, each with a project directory of its own; they share nothing.
 *
 * <p>Safe for use by several threads. It has no global settings and configures no logging (it logs through SLF4J). A host
 * that ends without {@link #close} leaves its stories where they stand in the record, too; commands that run then are ended by
 * a shutdown hook.
 */
public final class Maestro implements AutoCloseable {
    private final String sessionId;
    private final Team team;
    private final EventQueues queues;
    private final List<ToolRegistry.Problem> toolProblems;
    private final Store store;
    private final AuditLog auditLog;
    private final Chat chat;
    private final Inbox inbox;
    private final Shutdown ending;
    private final ProjectCheck check;
    private final Optional<URI> monitor;

    Maestro(
            Resources resources,
            Team team,
            EventQueues queues,
            Chat chat,
            ProjectCheck check,
            Optional<URI> monitor,
            Shutdown ending) {
        this.sessionId = resources.sessionId();
        this.team = team;
        this.queues = queues;
        this.toolProblems = resources.registry().problems();
        this.store = resources.store();
        this.auditLog = store.view();
        this.chat = chat;
        this.inbox = new Inbox(store.requests(), team::inboxAnswered);
        this.check = check;
        this.monitor = monitor;
        this.ending = ending;
    }

    /**
     * Starts a configuration.
     *
     * @return a builder
     */
    public static MaestroBuilder builder() {
        return new MaestroBuilder();
    }

    /**
     * Starts the configuration of an agent that works alone: on a directory or in a container, with tools, and without a
     * repository, stories and an architect.
     *
     * @return a builder
     */
    public static AgentBuilder agent() {
        return new AgentBuilder();
    }

    /**
     * The JSON Schema (draft 2020-12) of {@code .maestro/config.json}, for editors and for those who write such files; the
     * library has it as the resource {@code io/maestro/config/config.schema.json}, too.
     *
     * @return the schema as JSON
     */
    public static String configSchema() {
        return Settings.schema();
    }

    /**
     * Checks what stories need, before one costs anything: the repository and the right to push, credentials and models, prices,
     * the test command, tools. It asks no model, so nothing is spent, and changes nothing in the project directory; without a
     * Maestro see {@link MaestroBuilder#check}. Where something cannot be told without doing it, such as the rules of a
     * server for its branches, the report says so. Stories may run meanwhile.
     *
     * @return what was found; what is wrong is a finding, not an exception
     * @throws io.maestro.llm.LlmInterruptedException when the calling thread was interrupted while a service was asked
     */
    public CheckReport check() {
        return check.report();
    }

    /**
     * Runs a story from WAITING to its end, and waits for it. Waits for a free coder first when all are at work. Interrupting
     * the calling thread cancels the story: its processes are ended, and the result says so.
     *
     * <p>A story that failed, was rejected or cancelled can be run again: that is its next attempt. One that
     * is done is not done again: the result of then is returned. One whose process was killed goes on where it was, in the
     * same workspace and with the same conversations; where the workspace is lost, it begins its next attempt.
     *
     * @param story what is to be done
     * @return how it ended; a story that fails is a result, not an exception
     * @throws io.maestro.error.MaestroException when the story cannot be started: Maestro is closed, the story is running
     *     already, it was done before with another text or on another target branch, or a specification has its id
     * @throws io.maestro.record.StoreException when the record cannot be written; nothing more is done for the story then
     */
    public StoryResult run(Story story) {
        return submit(story).await();
    }

    /**
     * Starts a story in the background; all else is as for {@link #run run}.
     *
     * @param story what is to be done
     * @return the story as it goes on
     * @throws io.maestro.error.MaestroException as for {@link #run run}
     */
    public Submission<StoryResult> submit(Story story) {
        return submit(story, event -> {});
    }

    /**
     * Starts a story in the background with a listener that misses nothing: it is told of all that happens in this story, from
     * the first event on. All else is as for {@link #run run}.
     *
     * @param story what is to be done
     * @param listener called by a thread of Maestro's own; one that throws does no harm
     * @return the story as it goes on
     * @throws io.maestro.error.MaestroException as for {@link #run run}
     */
    public Submission<StoryResult> submit(Story story, MaestroListener listener) {
        return new Submission<>(
                team.submit(
                        Objects.requireNonNull(story, "story"),
                        queues.of(Objects.requireNonNull(listener, "listener"))),
                queues);
    }

    /**
     * Takes a specification to merged work, and waits for the end: the architect reads it and the repository and makes
     * stories of it, coders work on them in the order of their dependencies, and a story that fails is rewritten and tried
     * again within its {@linkplain io.maestro.agent.Limits#storyRetries retries}. Interrupting the calling thread cancels it and its
     * stories.
     *
     * <p>A specification that is done is not done again: the result of then is returned, also when it is
     * {@linkplain SpecResult.Outcome#INCOMPLETE incomplete}. One that failed, was cancelled or lost its process goes on where it was;
     * what is done of it is not done again. The architect's model makes the stories, also where a person answers the coders.
     *
     * @param spec what is to be built
     * @return what became of it, story by story; failing is a result, not an exception
     * @throws io.maestro.error.MaestroException when it cannot be begun: Maestro is closed, it is worked on already, it was
     *     begun before with another text, or its id, or one that its stories may need ({@code <id>-00} to {@code <id>-99}), is taken
     * @throws io.maestro.record.StoreException when the record cannot be written; nothing more is done then
     */
    public SpecResult runSpec(Spec spec) {
        return submitSpec(spec).await();
    }

    /**
     * Starts to work on a specification in the background; all else is as for {@link #runSpec runSpec}.
     *
     * @param spec what is to be built
     * @return the work as it goes on
     * @throws io.maestro.error.MaestroException when Maestro is closed, or the specification is worked on already; what else
     *     keeps it from being begun comes with the result
     */
    public Submission<SpecResult> submitSpec(Spec spec) {
        return submitSpec(spec, event -> {});
    }

    /**
     * Starts to work on a specification in the background with a listener that misses nothing: it is told of all that happens in
     * the specification and its stories, from the first event on. All else is as for {@link #submitSpec(Spec) submitSpec}.
     *
     * @param spec what is to be built
     * @param listener called by a thread of Maestro's own; one that throws does no harm
     * @return the work as it goes on
     * @throws io.maestro.error.MaestroException as for {@link #submitSpec(Spec) submitSpec}
     */
    public Submission<SpecResult> submitSpec(Spec spec, MaestroListener listener) {
        return new Submission<>(
                team.submit(
                        Objects.requireNonNull(spec, "spec"), queues.of(Objects.requireNonNull(listener, "listener"))),
                queues);
    }

    /**
     * Goes on with all that the record holds and that has not ended, because the process that worked on it was closed or killed. To be
     * called once after the build, by a host that no longer knows what it had submitted. A host that submits its stories and
     * specifications again does not need it.
     *
     * @return the specifications, and the stories that belong to none of them, in the background
     * @throws io.maestro.record.StoreException when the record cannot be read
     */
    public List<Submission<?>> resume() {
        return resume(event -> {});
    }

    /**
     * Goes on with all that has not ended, as {@link #resume() resume} does, with a listener that misses nothing.
     *
     * @param listener told of all that happens in this work; called by a thread of Maestro's own; one that throws does no harm
     * @return as for {@link #resume() resume}
     * @throws io.maestro.record.StoreException when the record cannot be read
     */
    public List<Submission<?>> resume(MaestroListener listener) {
        MaestroListener told = queues.of(Objects.requireNonNull(listener, "listener"));
        return submissions(team.resumeSpecs(told), team.resumeStories(told));
    }

    private List<Submission<?>> submissions(List<RunningSpec> specs, List<RunningStory> stories) {
        List<Submission<?>> all = new ArrayList<>();
        specs.forEach(work -> all.add(new Submission<>(work, queues)));
        stories.forEach(work -> all.add(new Submission<>(work, queues)));
        return List.copyOf(all);
    }

    /**
     * Goes on with a story that has ended in ERROR, in the state in which it did: in its workspace, with its conversations, as
     * the same attempt. Its rounds are counted anew, and its budget of tokens, cost and time is granted as often as is given
     * here; a hard cap is not raised. Where its workspace is not there any more, its next attempt begins.
     *
     * @param storyId the story
     * @param grants how often its budget counts in all beyond the first time; 0 or more, and never less than was granted before
     * @return the story in the background
     * @throws io.maestro.error.MaestroException when the story is not known, has not ended in ERROR, or is worked on, here or by
     *     another process
     */
    public Submission<StoryResult> resume(String storyId, int grants) {
        if (grants < 0) {
            throw new IllegalArgumentException("grants must be 0 or more, is " + grants);
        }
        return new Submission<>(team.reopen(Objects.requireNonNull(storyId, "storyId"), grants), queues);
    }

    /**
     * What was done so far, in this session and in earlier ones: sessions, stories, messages, calls of tools.
     *
     * @return the record, to read; usable until {@link #close}
     */
    public AuditLog auditLog() {
        return auditLog;
    }

    /**
     * Removes what is old from the record, as {@link io.maestro.MaestroRecord#prune} says. {@link AuditLog#export} keeps a copy before. Stories
     * may run meanwhile.
     *
     * @param before what ended later stays whole
     * @return how many stories and specifications were pruned
     * @throws StoreException when the record cannot be written; what was pruned until then stays so
     */
    public int prune(Instant before) {
        return store.prune(before);
    }

    /**
     * Where agents and host write to each other. What the host writes, every agent at work reads before its model's next
     * turn.
     *
     * @return the chat; usable until {@link #close}
     */
    public Chat chat() {
        return chat;
    }

    /** {@return what waits for people; usable until this is closed} */
    public Inbox inbox() {
        return inbox;
    }

    /** {@return what is to end, whoever works on it, in whatever process; usable until this is closed} */
    public Cancellations cancellations() {
        return store.cancellations();
    }

    /**
     * Where the page is on which people watch and steer; see {@link MaestroBuilder#monitor}.
     *
     * @return its address with its token, so for those only who may decide; empty when there is no monitor
     */
    public Optional<URI> monitor() {
        return monitor;
    }

    /**
     * A report on a story or a specification of the record, of whatever run, with what was merged.
     *
     * @param id the story or the specification
     * @return to be written as HTML or JSON, until this is closed
     * @throws MaestroException when the record has neither
     */
    public RunReport report(String id) {
        return RunReport.of(auditLog, id, team::mergedDiff);
    }

    /**
     * The agents that work now: coders on stories, and the architect where its model answers or works on a specification. A
     * coder whose story is parked, waiting for a person, is not among them.
     *
     * @return how each of them is now, by their names; empty when nobody works
     */
    public List<AgentStatus> agents() {
        return team.agents();
    }

    /**
     * Says that something has happened at the forge: a check has ended, somebody has reviewed, merged or closed a request. To be
     * called by a host that receives the forge's webhooks, once it has checked their signature. Stories that wait for the forge
     * ask it at once, and not only when their {@linkplain io.maestro.git.Forge.Outcome.Pending time} is over. What the webhook
     * says is not needed, and calling this for nothing, twice or never does no harm: the forge is asked every five seconds at
     * most. Returns at once.
     */
    public void forgeChanged() {
        team.forgeChanged();
    }

    /**
     * The branches that stories of this record have left in the real repository and that nobody works on any more: of attempts
     * that have failed, and of merged ones where the repository kept them. Those of another record are none of them, also where it has
     * stories of the same ids. Maestro deletes none of these, as people may still want what is there. Brings the mirror up to date.
     *
     * @return by name; empty when there are none
     * @throws io.maestro.git.GitException when the repository cannot be read; GitUnavailableException when it cannot be reached
     */
    public List<StaleBranch> staleBranches() {
        return team.staleBranches();
    }

    /**
     * What went wrong while tools were discovered: jars that are broken, and whose tools are missing now.
     *
     * @return empty when all was well
     */
    public List<ToolRegistry.Problem> toolProblems() {
        return toolProblems;
    }

    /**
     * Identifies this Maestro in the record: a session lasts from its build to its close, or to the end of the process.
     *
     * @return the session's id
     */
    public String sessionId() {
        return sessionId;
    }

    /**
     * Stops the stories and specifications that run, and gives everything back: processes, threads, the record, the lock on the
     * project directory. Nothing that was paid is lost: what runs stays where it stands, as after a kill, its submission ends
     * with a {@link io.maestro.error.MaestroException}, and {@link #resume()} of the next Maestro goes on with it. To end a story,
     * {@linkplain Submission#cancel cancel} it before. Once this is called nothing begins any more. A second call waits for the end
     * of the first. Where a story's own thread calls it, as from a policy, nobody waits for that: the stories stop soon after. A
     * listener may call it, too.
     *
     * <p>What runs stops as soon as its commands are ended and whatever else it waits for is interrupted: a second or so, with
     * containers as long as their engine takes to remove them. For what does not hear an interrupt, such as a model's client
     * or a tool of the host's, it waits at most 90 seconds where specifications are worked on and at most another
     * 60 for stories; then it says so in the log and gives back the rest. It waits at most 5 seconds for listeners that are yet to
     * be told of what has happened. Interrupting the calling thread does not shorten this.
     */
    @Override
    public void close() {
        ending.run();
    }
}
