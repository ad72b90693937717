package io.maestro.examples.gradle;

import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.provider.Property;

/** The block {@code maestro} of a build script. */
public interface MaestroExtension {
    /**
     * Where git clones from and pushes to.
     *
     * @return a URL or a path; must be set
     */
    Property<String> getRepository();

    /**
     * The branch to start from and to merge into.
     *
     * @return unset: the repository's own
     */
    Property<String> getTargetBranch();

    /**
     * Where Maestro keeps the record and the coders' workspaces.
     *
     * @return {@code .maestro} in the project unless set: {@code gradle clean} keeps it
     */
    DirectoryProperty getDirectory();

    /**
     * The model that plans and codes.
     *
     * @return claude-sonnet-5 unless set
     */
    Property<String> getModel();

    /**
     * The model that reviews.
     *
     * @return the one that codes, unless set
     */
    Property<String> getArchitectModel();

    /**
     * Runs the project's tests in the root of a workspace.
     *
     * @return unset: by the project's build file
     */
    Property<String> getTestCommand();

    /**
     * The most that a story may cost in all its attempts.
     *
     * @return US dollars, for example {@code "2.50"}; unset: no limit
     */
    Property<String> getCostPerStory();
}
