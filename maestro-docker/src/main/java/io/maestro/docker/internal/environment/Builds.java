package io.maestro.docker.internal.environment;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.BuildConfinement;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.compose.BuildCopy;
import io.maestro.docker.internal.compose.StackImages;
import io.maestro.environment.Workplace;
import io.maestro.secrets.Redactor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Builds images from Dockerfiles in workspaces, for projects and for stacks. What an image is built from stays in it for
 * everybody to see, so no secret may be among that. Safe for use by several threads.
 */
public final class Builds {
    /** Where a Dockerfile is looked for when none is named. */
    private static final List<String> DOCKERFILES = List.of("Dockerfile", ".maestro/Dockerfile");

    /** The build argument by which a Dockerfile can start from the safe image, which has another name on each engine. */
    public static final String SAFE_ARGUMENT = "MAESTRO_BOOTSTRAP";

    /** No id of an agent begins so. */
    private static final String REVIEW = "-review";

    /** More is refused where it is built. */
    private static final int MOST_READ = 300 << 10;

    private final Instance instance;
    private final Redactor redactor;
    private final KnownSecrets secrets;
    private final Settings settings;
    private final UsableImages images;
    private final Function<Engine, String> safe;
    private final Path copies;

    /**
     * Builds for an instance.
     *
     * @param safe sees to it that an engine has the safe image, and names it
     * @param redactor knows secrets
     * @param secrets what must not get into an image
     * @param images which images a Dockerfile may name
     * @param copies where copies of what is built from are made, out of the agents' reach
     */
    Builds(
            Instance instance,
            Redactor redactor,
            KnownSecrets secrets,
            Settings settings,
            UsableImages images,
            Function<Engine, String> safe,
            Path copies) {
        this.instance = instance;
        this.redactor = redactor;
        this.secrets = secrets;
        this.settings = settings;
        this.images = images;
        this.safe = safe;
        this.copies = copies;
    }

    Instance instance() {
        return instance;
    }

    /** How long a build may take. */
    public Duration limit() {
        return settings.builds().timeLimit();
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
     * Builds an image from the files in an agent's workspace.
     *
     * @param limit how long it may take
     */
    public Image build(Engine engine, Workplace place, BuildPlan recipe, String tag, Duration limit) {
        return build(engine, place, place.directory(), recipe, tag, ofAgent(engine, place), limit);
    }

    /**
     * Builds an image that the project can be given, from the host's images and with caches that are empty: what an agent has
     * built before and left in its own decides on nothing.
     *
     * @param workspace the directory whose files it is built from
     * @param tag its name
     * @throws IllegalArgumentException when the recipe cannot be used; the message is for a model
     * @throws io.maestro.docker.DockerException when the build fails, with the end of its output
     */
    Image build(Engine engine, Workplace place, Path workspace, BuildPlan recipe, String tag) {
        return build(engine, place, workspace, recipe, tag, ofReview(engine), limit());
    }

    /**
     * What a build may use beside its files.
     *
     * @param images the image that a name means
     * @param cache the name of its caches
     * @param layers whose results of commands it takes
     */
    private record ImageAccess(Function<String, Image> images, String cache, String layers) {}

    private ImageAccess ofAgent(Engine engine, Workplace place) {
        return new ImageAccess(name -> images.find(engine, place, name), place.agentId(), place.agentId());
    }

    private ImageAccess ofReview(Engine engine) {
        return new ImageAccess(name -> images.findForReview(engine, name), Instance.newId(), REVIEW);
    }

    private Image build(
            Engine engine,
            Workplace place,
            Path workspace,
            BuildPlan recipe,
            String tag,
            ImageAccess reach,
            Duration limit) {
        Path dockerfile = WorkspacePaths.file(workspace, recipe.dockerfile());
        Path context = WorkspacePaths.directory(workspace, recipe.context());
        try (BuildCopy copy = BuildCopy.of(workspace, context, dockerfile, copies, secrets)) {
            ImageBuild.Builder build = ImageBuild.builder(copy.root())
                    .context(copy.context())
                    .dockerfile(copy.dockerfile())
                    .tag(tag);
            Image image = build(
                    engine, place, recipe.dockerfile(), copy.dockerfile(), build, recipe.arguments(), reach, limit);
            images.built().add(image.id(), Optional.of(recipe));
            return image;
        }
    }

    /** Builds an image of an agent's stack, as {@link StackImages#build} says. */
    void build(Engine engine, Workplace place, StackImages.Build stack, Map<String, String> labels) {
        build(engine, place, stack, labels, ofAgent(engine, place));
    }

    /** The same for what is judged, from the host's images and with caches that are empty. */
    void buildForReview(Engine engine, Workplace place, StackImages.Build stack, Map<String, String> labels) {
        build(engine, place, stack, labels, ofReview(engine));
    }

    private void build(
            Engine engine, Workplace place, StackImages.Build stack, Map<String, String> labels, ImageAccess reach) {
        ImageBuild.Builder build = ImageBuild.builder(stack.root())
                .context(stack.context())
                .dockerfile(stack.dockerfile())
                .tag(stack.tag());
        labels.forEach(build::label);
        stack.target().ifPresent(build::target);
        Image image = build(engine, place, "Dockerfile", stack.dockerfile(), build, stack.arguments(), reach, limit());
        images.built().add(image.id(), Optional.empty());
    }

    private Image build(
            Engine engine,
            Workplace place,
            String name,
            Path dockerfile,
            ImageBuild.Builder build,
            Map<String, String> arguments,
            ImageAccess reach,
            Duration limit) {
        arguments.forEach(this::requireHarmless);
        String text = text(name, dockerfile);
        requireNoSecrets(name, text);
        if (place.storyId() != null) {
            build.label(Labels.STORY, place.storyId());
        }
        arguments.forEach(build::argument);
        String safeName = "";
        if (text.contains(SAFE_ARGUMENT) && !arguments.containsKey(SAFE_ARGUMENT)) {
            safeName = safe.apply(engine);
            build.argument(SAFE_ARGUMENT, safeName);
        }
        build.network(settings.builds().network(settings.container())).timeLimit(limit);
        try {
            return engine.build(build.build(), confinement(engine, safeName, reach));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + name + "' " + e.getMessage(), e);
        }
    }

    private BuildConfinement confinement(Engine engine, String safeName, ImageAccess reach) {
        return new BuildConfinement(
                image -> image.equals(safeName) ? images.safe(engine).id() : usable(reach, image),
                settings.buildLimits(),
                settings.disk().quota(),
                settings.disk().reserve(),
                () -> images.safe(engine).id(),
                settings.builds(),
                reach.cache(),
                reach.layers());
    }

    private static String usable(ImageAccess reach, String image) {
        try {
            return reach.images().apply(image).id();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("names an image: " + e.getMessage(), e);
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
        try (InputStream in = Files.newInputStream(dockerfile)) {
            return new String(in.readNBytes(MOST_READ), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + name + "' cannot be read", e);
        }
    }

    private void requireNoSecrets(String name, String dockerfile) {
        if (secrets.in(dockerfile)) {
            throw new IllegalArgumentException(
                    "'" + name
                            + "' holds a secret of the environment, which would stay in the image for everybody to read; remove it");
        }
    }

    /** What must not get into an image. */
    KnownSecrets secrets() {
        return secrets;
    }

    private boolean isSecret(String value) {
        return secrets.in(value) || !redactor.redact(value).equals(value);
    }
}
