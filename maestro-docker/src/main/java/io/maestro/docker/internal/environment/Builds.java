package io.maestro.docker.internal.environment;

import io.maestro.audit.Redactor;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.DockerfileCheck;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.compose.BuildCopy;
import io.maestro.environment.Workplace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Builds images from Dockerfiles in workspaces. What an image is built from stays in it for everybody to see, so no secret may
 * be among that. Safe for use by several threads.
 */
public final class Builds {
    /** Where a Dockerfile is looked for when none is named. */
    private static final List<String> DOCKERFILES = List.of("Dockerfile", ".maestro/Dockerfile");

    /** The build argument by which a Dockerfile can start from the safe image, which has another name on each engine. */
    public static final String SAFE_ARGUMENT = "MAESTRO_BOOTSTRAP";

    /** Shorter values are no secrets but words. */
    private static final int SHORTEST_SECRET = 6;

    private final Instance instance;
    private final Redactor redactor;
    private final List<String> secrets;
    private final boolean network;
    private final Duration limit;
    private final Function<Engine, String> safe;
    private final Path copies;

    /**
     * Builds for an instance.
     *
     * @param safe sees to it that an engine has the safe image, and names it
     * @param redactor knows secrets
     * @param secrets values that must not get into an image
     * @param network whether builds have one
     * @param limit how long a build may take
     * @param copies where copies of what is built from are made, out of the agents' reach
     */
    Builds(
            Instance instance,
            Redactor redactor,
            Collection<String> secrets,
            boolean network,
            Duration limit,
            Function<Engine, String> safe,
            Path copies) {
        this.instance = instance;
        this.redactor = redactor;
        this.secrets = secrets.stream()
                .filter(value -> value.length() >= SHORTEST_SECRET)
                .toList();
        this.network = network;
        this.limit = limit;
        this.safe = safe;
        this.copies = copies;
    }

    Instance instance() {
        return instance;
    }

    /** How long a build may take. */
    public Duration limit() {
        return limit;
    }

    /**
     * The Dockerfile of a workspace.
     *
     * @throws WorkspacePaths.RefusedPathException when there is none
     */
    public static String defaultDockerfile(Path workspace) {
        return DOCKERFILES.stream()
                .filter(path -> Files.isRegularFile(workspace.resolve(path), LinkOption.NOFOLLOW_LINKS))
                .findFirst()
                .orElseThrow(() -> new WorkspacePaths.RefusedPathException(
                        "there is no Dockerfile in the workspace: write one of " + DOCKERFILES + ", or name yours"));
    }

    /**
     * Builds an image.
     *
     * @param tag its name
     * @throws IllegalArgumentException when the recipe cannot be used; the message is for a model
     * @throws io.maestro.docker.DockerException when the build fails, with the end of its output
     */
    public Image build(Engine engine, Workplace place, Recipe recipe, String tag) {
        Path workspace = place.directory();
        Path dockerfile = WorkspacePaths.file(workspace, recipe.dockerfile());
        Path context = WorkspacePaths.directory(workspace, recipe.context());
        recipe.arguments().forEach(this::requireHarmless);
        try (BuildCopy copy = BuildCopy.of(workspace, context, dockerfile, copies)) {
            String text = text(recipe.dockerfile(), copy.dockerfile());
            requireNoSecrets(recipe.dockerfile(), text);
            DockerfileCheck.ofUntrusted(text).ifPresent(fault -> {
                throw new IllegalArgumentException("'" + recipe.dockerfile() + "' " + fault);
            });
            ImageBuild.Builder build = ImageBuild.builder(copy.root())
                    .context(copy.context())
                    .dockerfile(copy.dockerfile())
                    .tag(tag)
                    .label(Recipe.LABEL, recipe.toJson())
                    .network(network)
                    .timeLimit(limit);
            if (place.storyId() != null) {
                build.label(Labels.STORY, place.storyId());
            }
            recipe.arguments().forEach(build::argument);
            if (text.contains(SAFE_ARGUMENT) && !recipe.arguments().containsKey(SAFE_ARGUMENT)) {
                build.argument(SAFE_ARGUMENT, safe.apply(engine));
            }
            return engine.build(build.build());
        }
    }

    private void requireHarmless(String name, String value) {
        if (value.length() > 4096) {
            throw new IllegalArgumentException("the build argument " + name + " has more than 4096 characters");
        }
        if (isSecret(value)) {
            throw new IllegalArgumentException("the build argument " + name
                    + " holds a secret, which everybody could read in the image's history; images get no secrets");
        }
    }

    private static String text(String name, Path dockerfile) {
        try {
            return new String(Files.readAllBytes(dockerfile), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + name + "' cannot be read", e);
        }
    }

    private void requireNoSecrets(String name, String dockerfile) {
        if (holdsSecret(dockerfile)) {
            throw new IllegalArgumentException(
                    "'" + name
                            + "' holds a secret of the environment, which would stay in the image for everybody to read; remove it");
        }
    }

    /** Whether a text holds the value of a variable that is passed on to commands. */
    boolean holdsSecret(String text) {
        return secrets.stream().anyMatch(text::contains);
    }

    private boolean isSecret(String value) {
        return holdsSecret(value) || !redactor.redact(value).equals(value);
    }
}
