package io.maestro.replay;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.Architect;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.error.MaestroException;
import io.maestro.git.GitException;
import io.maestro.git.internal.RepositoryCopy;
import io.maestro.internal.PrivateFiles;
import io.maestro.llm.LlmClient;
import io.maestro.record.AuditLog;
import io.maestro.replay.internal.CallComparison;
import io.maestro.replay.internal.RecordedArchitect;
import io.maestro.replay.internal.RecordedForge;
import io.maestro.replay.internal.RecordedLlm;
import io.maestro.replay.internal.RecordedTarget;
import io.maestro.replay.internal.RecordedTool;
import io.maestro.replay.internal.Recording;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Plays a recorded story again, in a workspace of its own and on the commit that it began on. The coder's answers, what was decided,
 * and the answers of tools with effects elsewhere come from the record; files, commands, tests and git are real. What others merged
 * meanwhile comes in when it did then. Nothing reaches the real repository, and no model is asked, unless another one
 * {@linkplain #goOn goes on}. {@link SpecReplay} plays a whole specification. Not safe for use by several threads.
 *
 * <pre>{@code
 * Replay.Result result = Replay.of(log, "042").run(repository, directory, builder -> builder.testCommand("make check"));
 * result.difference().ifPresent(System.out::println);
 * }</pre>
 *
 * <p>A story that a program such as Claude Code has coded needs that {@linkplain #program program}.
 */
public final class Replay {
    private final Recording recording;
    private final Set<String> live = new HashSet<>();
    private int answers = Integer.MAX_VALUE;
    private @Nullable LlmClient model;
    private @Nullable Architect architect;
    private @Nullable AgentFactory program;
    private String hint = "";

    private Replay(Recording recording) {
        this.recording = recording;
    }

    /**
     * Reads the latest attempt at a story.
     *
     * @param log the record; needed here only
     * @param storyId the story
     * @return to be run
     * @throws MaestroException when there is no such story, or it cannot be replayed; the message says why
     */
    public static Replay of(AuditLog log, String storyId) {
        return new Replay(new Recording(log, storyId));
    }

    /**
     * Has tools run that are not Maestro's own; by default their answers come from the record.
     *
     * @param names tools that the settings of {@link #run} give
     * @return this
     */
    public Replay live(String... names) {
        live.addAll(Set.of(names));
        return this;
    }

    /**
     * Has another model go on from a point of the recorded story: a fork of it.
     *
     * @param afterAnswers how many answers of the coder's model come from the record; 0 or more
     * @param other who answers after them
     * @param decider who decides on all that is asked after them
     * @return this
     * @see #hint
     */
    public Replay goOn(int afterAnswers, LlmClient other, Architect decider) {
        if (afterAnswers < 0) {
            throw new IllegalArgumentException("how many answers? 0 or more, not " + afterAnswers);
        }
        this.answers = afterAnswers;
        this.model = Objects.requireNonNull(other, "other");
        this.architect = Objects.requireNonNull(decider, "decider");
        return this;
    }

    /**
     * Gives the program that has coded the story, such as a {@code ClaudeCodeMode} with the settings of then. It runs with its own
     * tools, and its model's answers come from the record; what they name of the working directory is the replay's. Commands run
     * as they are: one that names other directories works there. With {@link #goOn} it is refused; for a story that no program has
     * coded it is not looked at.
     *
     * @param factory the program
     * @return this
     */
    public Replay program(AgentFactory factory) {
        this.program = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * Tells the model that {@linkplain #goOn goes on} something that the recorded one was not told.
     *
     * @param text ends the system prompt of each of its requests
     * @return this
     */
    public Replay hint(String text) {
        this.hint = Objects.requireNonNull(text, "text");
        return this;
    }

    /**
     * Plays it.
     *
     * @param repository the repository of then, as git clones it; it is only read
     * @param directory where everything is put; must be empty or not exist
     * @param settings sets what the recorded story had, such as its test command and tools; not the repository and the models
     * @return what has come of it
     * @throws MaestroException when it cannot be begun: the repository has not the commits of then, the directory is not empty, or a
     *     program is missing
     * @throws IllegalArgumentException when there is a hint and no model goes on
     */
    public Result run(String repository, Path directory, Consumer<MaestroBuilder> settings) {
        if (model == null && !hint.isEmpty()) {
            throw new IllegalArgumentException("a hint is for the model that goes on: give one by goOn(…)");
        }
        Optional<AgentFactory> replayed = replayedProgram();
        Path absolute = directory.toAbsolutePath().normalize();
        make(absolute);
        RepositoryCopy origin = new RepositoryCopy(repository, absolute);
        Optional<String> recordedTree = recording.mergeCommit().map(commit -> tree(origin, commit));
        recording.tips().forEach(tip -> tree(origin, tip));
        origin.setBranch("replay", recording.base());
        origin.setDefault("replay");
        RecordedTarget target = new RecordedTarget(recording, tip -> origin.setBranch("replay", tip));
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .readConfig(false)
                .repository(origin.directory().toString())
                .git(git -> git.targetBranch("replay"))
                .forge(new RecordedForge(target))
                .architect(new RecordedArchitect(recording, target, architect));
        origin.secrets().forEach(builder::secret);
        if (replayed.isPresent()) {
            builder.coderMode(replayed.get());
        } else {
            builder.coderModel(new RecordedLlm(recording, target, answers, model, hint));
        }
        Set<String> own = BuiltinTools.all().stream()
                .map(tool -> tool.definition().name())
                .collect(Collectors.toSet());
        recording.calls().stream()
                .map(AuditLog.ToolExecution::tool)
                .distinct()
                .filter(name -> !own.contains(name) && !live.contains(name) && !isNoTool(name))
                .forEach(name -> builder.tool(new RecordedTool(recording, name)));
        settings.accept(builder);
        try (Maestro maestro = builder.build()) {
            target.follow(maestro.auditLog());
            StoryResult result = maestro.run(recording.story());
            return new Result(
                    result,
                    recordedTree,
                    result.mergeCommit().map(commit -> tree(origin, commit)),
                    CallComparison.first(recording, maestro.auditLog())
                            .map(pair -> new Difference(pair.number(), pair.then(), pair.now())));
        }
    }

    Optional<AgentFactory> replayedProgram() {
        if (recording.program().isEmpty()) {
            return Optional.empty();
        }
        String id = recording.program().get();
        AgentFactory given = program;
        if (given == null || !given.id().equals(id)) {
            throw new MaestroException(
                    "story " + recording.story().id() + " was coded by " + id + ": give it by program(…)", null);
        }
        if (model != null) {
            throw new MaestroException("no other model can go on with what " + id + " has begun", null);
        }
        return Optional.of(given.replaying(recording.programAnswers())
                .orElseThrow(() -> new MaestroException(id + " cannot be replayed", null)));
    }

    /** What Maestro has recorded of its own, and what was never there. */
    private boolean isNoTool(String name) {
        return recording.calls().stream()
                .filter(call -> call.tool().equals(name))
                .noneMatch(call -> recording.isModels(call) && !isUnknown(call));
    }

    private static boolean isUnknown(AuditLog.ToolExecution call) {
        return call.error() != null && call.error().startsWith("there is no tool '");
    }

    static void make(Path directory) {
        try {
            if (Files.exists(directory)) {
                try (var entries = Files.list(directory)) {
                    if (entries.findAny().isPresent()) {
                        throw new MaestroException(directory + " is not empty; give a new directory", null);
                    }
                }
            }
            PrivateFiles.makeMissing(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("the directory " + directory + " cannot be made", e);
        }
    }

    private static String tree(RepositoryCopy origin, String commit) {
        try {
            return origin.tree(commit);
        } catch (GitException e) {
            throw new MaestroException(
                    "the repository has no commit " + commit + ": is it the one of the recorded story?", e);
        }
    }

    /**
     * What has come of a replay.
     *
     * @param result how the story has ended
     * @param recordedTree the files that were merged then, as git's id of a tree; empty when nothing was merged
     * @param tree the files that were merged now
     * @param difference the first call of the coder's that is not as it was; empty when all are
     */
    public record Result(
            StoryResult result, Optional<String> recordedTree, Optional<String> tree, Optional<Difference> difference) {
        /**
         * Whether all is as it was.
         *
         * @return whether each call of Maestro's tools was as it was then, and the same files were merged. A program's calls of
         *     tools of its own are not in the record one by one: the files tell
         */
        public boolean same() {
            return difference.isEmpty() && recordedTree.equals(tree);
        }
    }

    /**
     * A call that is not as it was.
     *
     * @param number its place among the coder's calls; from 1
     * @param recorded as it was then; null when there is one more now
     * @param replayed as it is now; null when it is missing
     */
    public record Difference(
            int number, AuditLog.@Nullable ToolExecution recorded, AuditLog.@Nullable ToolExecution replayed) {
        /** Both sides, for people. */
        @Override
        public String toString() {
            return "call " + number + " of the coder differs\nrecorded: " + text(recorded) + "\nreplayed: "
                    + text(replayed);
        }

        private static String text(AuditLog.@Nullable ToolExecution call) {
            if (call == null) {
                return "no call";
            }
            return call.tool() + " " + call.parameters() + " in " + call.state() + ", "
                    + (call.error() == null ? "answered" : "failed: " + call.error())
                    + (call.exitCode() == null ? "" : ", exit code " + call.exitCode());
        }
    }
}
