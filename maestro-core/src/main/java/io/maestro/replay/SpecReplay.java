package io.maestro.replay;

import io.maestro.MaestroBuilder;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Plays the stories of a recorded specification again, in the order in which they ended, each as {@link Replay} does and on what had
 * been merged before it. The stories are those that the architect made then; it is not asked for them again. Not safe for use by
 * several threads.
 */
public final class SpecReplay {
    private final Map<String, Replay> stories;

    private SpecReplay(Map<String, Replay> stories) {
        this.stories = stories;
    }

    /**
     * Reads the latest attempts at the stories of a specification. Stories that were never begun are left out.
     *
     * @param log the record; needed here only
     * @param specId the specification
     * @return to be run
     * @throws MaestroException when there is no such specification, or one of its stories cannot be replayed; the message says why
     */
    public static SpecReplay of(AuditLog log, String specId) {
        if (log.spec(specId).isEmpty()) {
            throw new MaestroException("there is no specification " + specId + " in " + log.location(), null);
        }
        Map<String, Instant> ends = new LinkedHashMap<>();
        for (AuditLog.StoryRecord story : log.storiesOf(specId)) {
            if (story.agentId() != null) {
                List<AuditLog.StateTransition> steps = log.transitions(story.id());
                ends.put(
                        story.id(),
                        steps.isEmpty()
                                ? Instant.MAX
                                : steps.get(steps.size() - 1).at());
            }
        }
        Map<String, Replay> stories = new LinkedHashMap<>();
        ends.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.naturalOrder()))
                .forEach(story -> stories.put(story.getKey(), Replay.of(log, story.getKey())));
        return new SpecReplay(stories);
    }

    /**
     * Gives the program that has coded the stories: see {@link Replay#program}.
     *
     * @param factory the program
     * @return this
     */
    public SpecReplay program(AgentFactory factory) {
        stories.values().forEach(story -> story.program(factory));
        return this;
    }

    /**
     * Has tools run that are not Maestro's own: see {@link Replay#live}.
     *
     * @param names tools that the settings of {@link #run} give
     * @return this
     */
    public SpecReplay live(String... names) {
        stories.values().forEach(story -> story.live(names));
        return this;
    }

    /**
     * Plays them, one after the other.
     *
     * @param repository the repository of then, as git clones it; it is only read
     * @param directory where everything is put, in a directory for each story; must be empty or not exist
     * @param settings sets what the recorded stories had, such as their test command and tools; not the repository and the models.
     *     Called for each story
     * @return what has come of it
     * @throws MaestroException when a story cannot be begun: see {@link Replay#run}
     */
    public Result run(String repository, Path directory, Consumer<MaestroBuilder> settings) {
        stories.values().forEach(Replay::replayedProgram);
        Replay.make(directory);
        List<Replay.Result> results = new ArrayList<>();
        stories.forEach((id, story) -> results.add(story.run(repository, directory.resolve(id), settings)));
        return new Result(results);
    }

    /**
     * What has come of the replay of a specification.
     *
     * @param stories one for each story, in the order in which they ended then
     */
    public record Result(List<Replay.Result> stories) {
        /**
         * Copies the list.
         *
         * @param stories see the record
         */
        public Result {
            stories = List.copyOf(stories);
        }

        /** {@return whether each call of each story was as it was then, and the same files were merged each time} */
        public boolean same() {
            return stories.stream().allMatch(Replay.Result::same);
        }

        /** {@return the first story that is not as it was; empty when all are} */
        public Optional<Replay.Result> different() {
            return stories.stream().filter(story -> !story.same()).findFirst();
        }

        /** {@return the files that the last merge has left, as git's id of a tree; empty when nothing was merged} */
        public Optional<String> tree() {
            return stories.stream().flatMap(story -> story.tree().stream()).reduce((first, second) -> second);
        }
    }
}
