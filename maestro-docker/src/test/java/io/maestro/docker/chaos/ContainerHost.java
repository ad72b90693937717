package io.maestro.docker.chaos;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.event.MaestroEvent;
import io.maestro.story.StoryResult;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** One life of a host that runs the story with containers; says how it ended. */
final class ContainerHost {
    /** Kills itself as soon as so many changes of state of this life are in the record. */
    static final String AT_TRANSITION = "at-transition";

    /** Kills itself when a call of the tool of this name has ended. */
    static final String IN_TOOL = "in-tool";

    /** The exit code of a process that was killed. */
    static final int KILLED = 137;

    private ContainerHost() {}

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        String where = arguments.length > 1 ? arguments[1] : "";
        MaestroBuilder builder = ContainerStory.maestro(directory, TestRepository.existing(directory));
        AtomicInteger changes = new AtomicInteger();
        builder.listener(event -> {
            if (where.equals(AT_TRANSITION)
                            && event instanceof MaestroEvent.StateChanged
                            && changes.incrementAndGet() == Integer.parseInt(arguments[2])
                    || where.equals(IN_TOOL)
                            && event instanceof MaestroEvent.ToolFinished tool
                            && tool.tool().equals(arguments[2])) {
                // As a kill does it, but without a program, during whose start the story goes on.
                Runtime.getRuntime().halt(KILLED);
            }
        });
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(ContainerStory.STORY);
            System.out.println(
                    "outcome " + result.outcome() + " " + result.error().orElse(""));
        }
    }
}
