package io.maestro.examples.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A small project with an origin, and the story that {@link StubApi#greeting} does: to greet in Spanish. */
public final class GreetingProject {
    /** Passes when the story is done. */
    public static final String TEST_COMMAND = "grep Hola greeting.txt";

    private final Path root;

    private GreetingProject(Path root) {
        this.root = root;
    }

    /**
     * Makes it.
     *
     * @param root an empty directory
     * @return the project, with one commit
     * @throws IOException when it cannot be made
     * @throws InterruptedException when the thread is interrupted
     */
    public static GreetingProject in(Path root) throws IOException, InterruptedException {
        GreetingProject made = new GreetingProject(root);
        Path project = made.directory();
        Files.createDirectories(made.story().getParent());
        Files.writeString(made.story(), "# Greet in Spanish\n\nThe greeting is ¡Hola!\n");
        Files.writeString(project.resolve("greeting.txt"), "Hello!");
        made.git(project, "init", "--quiet", "--initial-branch=main");
        made.git(project, "add", "--all");
        made.git(project, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "first");
        made.git(
                project,
                "clone",
                "--quiet",
                "--bare",
                project.toString(),
                made.origin().toString());
        made.git(project, "remote", "add", "origin", made.origin().toString());
        return made;
    }

    /**
     * The working copy of a person.
     *
     * @return a directory
     */
    public Path directory() {
        return root.resolve("project");
    }

    /**
     * Where the working copy came from.
     *
     * @return a bare repository
     */
    public Path origin() {
        return root.resolve("origin.git");
    }

    /**
     * The story.
     *
     * @return a Markdown file in the working copy
     */
    public Path story() {
        return directory().resolve("stories/hola.md");
    }

    /**
     * What the origin has: {@code ¡Hola!} when the story is merged.
     *
     * @return greeting.txt on main
     * @throws IOException when git cannot be started
     * @throws InterruptedException when the thread is interrupted
     */
    public String greeting() throws IOException, InterruptedException {
        return git(origin(), "show", "main:greeting.txt");
    }

    private String git(Path directory, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Run run = Run.of(directory, Map.of(), command);
        if (run.exit() != 0) {
            throw new IOException(command + ": " + run.output());
        }
        return run.out().strip();
    }
}
