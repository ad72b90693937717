package io.maestro.project.internal;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a project: those that the host has set, which are for the root, and those that build files suggest.
 *
 * @param setup prepares a fresh checkout; null to look at the project, as with the others
 * @param build builds it
 * @param lint looks at its code
 * @param test runs its tests
 * @param timeLimit of each
 */
public record ProjectCommands(
        @Nullable String setup,
        @Nullable String build,
        @Nullable String lint,
        @Nullable String test,
        Duration timeLimit) {
    /** What the host has set for a task. */
    public Optional<String> set(ProjectTask task) {
        return Optional.ofNullable(
                switch (task) {
                    case SETUP -> setup;
                    case BUILD -> build;
                    case LINT -> lint;
                    case TEST -> test;
                });
    }

    /**
     * What would be run in a directory.
     *
     * @param root whether it is the workspace's root
     * @return empty when there is nothing
     */
    public Optional<BuildFiles.Suggestion> command(ProjectTask task, ProjectFiles files, boolean root) {
        return set(task)
                .filter(line -> root)
                .map(line -> new BuildFiles.Suggestion(line, task.setting()))
                .or(() -> BuildFiles.suggest(task, files));
    }
}
