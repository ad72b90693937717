package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.egress.UntrustedNames;
import io.maestro.environment.Workplace;
import io.maestro.exec.ExecResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which images an agent may use, wherever it names one: in a tool, a Dockerfile or a compose file. The safe one, the project's
 * own, what was built here, and what the host has allowed by name; no other that the engine's user happens to have. Nothing
 * but this asks a registry for an image. Safe for use by several threads.
 */
final class UsableImages {
    private static final Logger LOG = LoggerFactory.getLogger(UsableImages.class);

    private static final Duration PULL = Duration.ofMinutes(15);
    private static final String DOCKER_HUB = "docker.io";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{4,64}|sha256:.*");

    private final Settings settings;
    private final Path directory;
    private final Instance instance;
    private final BuiltImages built;
    private final Function<Engine, Image> safe;

    /** What the safe image was; there, it is not looked for by the name of its base. */
    private final Map<Engine, Image> known = new ConcurrentHashMap<>();

    /**
     * Of a project.
     *
     * @param directory the project directory
     * @param safe sees to it that an engine has the safe image
     */
    UsableImages(
            Settings settings, Path directory, Instance instance, BuiltImages built, Function<Engine, Image> safe) {
        this.settings = settings;
        this.directory = directory;
        this.instance = instance;
        this.built = built;
        this.safe = safe;
    }

    /** What was built here. */
    BuiltImages built() {
        return built;
    }

    /** The safe image of an engine. */
    Image safe(Engine engine) {
        Image before = known.get(engine);
        if (before != null && engine.image(before.id()).isPresent()) {
            return before;
        }
        Image found = safe.apply(engine);
        known.put(engine, found);
        return found;
    }

    /** The name of an image that an agent calls by a shorter one: no two Maestros have the same, and no two agents. */
    String scoped(Workplace place, String tag) {
        return "maestro-" + instance.id().substring(0, 8) + "/" + slug(place.agentId()) + "/" + tag;
    }

    static String slug(String agentId) {
        return agentId.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    }

    private static void requireName(String name) {
        if (!ContainerSpec.isImageName(name) || name.contains("..") || name.contains("//")) {
            throw new IllegalArgumentException("'" + shown(name)
                    + "' is no image: give a name with an optional tag, or an id; no options, no blanks, no '..'");
        }
    }

    /**
     * The image that an agent means. One that the host has allowed and the engine does not have is pulled.
     *
     * @throws IllegalArgumentException when it is none, or one that the agent may not use; the message is for a model
     */
    Image find(Engine engine, Workplace place, String name) {
        requireName(name);
        if (name.equals(BootstrapImage.NAME)) {
            return safe(engine);
        }
        Optional<Image> own = engine.image(scoped(place, name)).filter(image -> built.contains(image.id()));
        if (own.isPresent()) {
            return own.get();
        }
        Optional<Image> found = engine.image(name);
        if (found.isPresent() && (isProjects(engine, found.get()) || isAllowed(name))) {
            return found.get();
        }
        if (!isAllowed(name)) {
            throw new IllegalArgumentException("the image '" + shown(name)
                    + "' may not be used: it is neither built by this project nor configured or allowed for it;"
                    + " container_list shows those that may be, container_build makes one FROM " + BootstrapImage.NAME
                    + ", and a person can allow more by container.allowed_images");
        }
        return pulled(engine, name);
    }

    /**
     * The image that a name means in files that are reviewed, for what is kept or judged: the safe one, the configured one, or
     * one that the host has allowed. Never one that an agent has built, whatever its name: nobody has reviewed that.
     *
     * @throws IllegalArgumentException when it is none of them; the message is for a model
     */
    Image findForReview(Engine engine, String name) {
        requireName(name);
        if (name.equals(BootstrapImage.NAME)) {
            return safe(engine);
        }
        Optional<Image> found = engine.image(name);
        boolean ofHost = isAllowed(name)
                || settings.images().image().filter(name::equals).isPresent();
        if (!ofHost || found.filter(image -> built.contains(image.id())).isPresent()) {
            throw new IllegalArgumentException("the image '" + shown(name)
                    + "' may not be used here: what is kept or judged is built from the files of the repository, "
                    + BootstrapImage.NAME + " and images that a person has allowed by container.allowed_images; put"
                    + " the steps of an image of yours into this Dockerfile, as a stage");
        }
        return found.orElseGet(() -> pulled(engine, name));
    }

    /**
     * The image that the host has configured, which is pulled where it is missing.
     *
     * @throws MissingImageException when it cannot be had
     */
    Image configured(Engine engine, String name) {
        Optional<Image> found = engine.image(name);
        if (found.isPresent()) {
            return found.get();
        }
        LOG.info(
                "the configured image {} is not on {}; it is pulled",
                name,
                engine.cli().host().name());
        try {
            return pulled(engine, name);
        } catch (IllegalArgumentException e) {
            throw new MissingImageException(
                    "the configured image '" + name + "' is not on the engine "
                            + engine.cli().host().name()
                            + " and cannot be pulled; pull or build it there, or change container.image: "
                            + e.getMessage(),
                    e);
        }
    }

    private Image pulled(Engine engine, String name) {
        ExecResult result = engine.cli()
                .run(engine.cli()
                        .command(List.of("pull", "--quiet", "--", name))
                        .timeLimit(PULL)
                        .build());
        return engine.image(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no image '" + shown(name)
                        + "' on the engine, and it cannot be pulled: "
                        + (result.ending() == ExecResult.Ending.EXITED
                                ? result.stderr().text().strip()
                                : "that took more than " + PULL.toMinutes() + " minutes")));
    }

    /** Built here, or chosen for the project: by the host, or by a story that was merged. */
    boolean isProjects(Engine engine, Image image) {
        return built.contains(image.id())
                || isChosen(engine, image)
                || safe(engine).id().equals(image.id());
    }

    /** Chosen for the project, by the host or by a story that was merged. */
    boolean isChosen(Engine engine, Image image) {
        return PinnedImage.read(directory).map(PinnedImage::image).equals(Optional.of(image.id()))
                || settings.images()
                        .image()
                        .flatMap(engine::image)
                        .map(Image::id)
                        .equals(Optional.of(image.id()));
    }

    private boolean isAllowed(String name) {
        return settings.images().allowed().stream().anyMatch(allowed -> matches(allowed, name));
    }

    /** Whether a name is one that the host has written: as it is, with any tag, or below what ends with an asterisk. */
    static boolean matches(String allowed, String name) {
        String given = full(name);
        if (allowed.endsWith("*")) {
            // What is named by its id is on this machine, and may be anything.
            return !ID.matcher(name).matches() && given.startsWith(full(allowed.substring(0, allowed.length() - 1)));
        }
        String wanted = full(allowed);
        boolean tagged = wanted.indexOf(':', wanted.lastIndexOf('/')) >= 0;
        return given.equals(wanted) || !tagged && (given.startsWith(wanted + ":") || given.startsWith(wanted + "@"));
    }

    /** With the registry, as engines understand it; of the beginning of a name, too. */
    private static String full(String name) {
        boolean named = UntrustedNames.hasRegistry(name);
        int slash = named ? name.indexOf('/') : -1;
        String registry = named ? name.substring(0, slash) : DOCKER_HUB;
        String rest = name.substring(slash + 1);
        if (registry.equals("index." + DOCKER_HUB)) {
            registry = DOCKER_HUB;
        }
        boolean official = registry.equals(DOCKER_HUB) && !rest.isEmpty() && rest.indexOf('/') < 0;
        return registry + "/" + (official ? "library/" : "") + rest;
    }

    /** Quoted in a message. */
    private static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
