package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.environment.Workplace;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images of a project: the one that its agents work in, the safe one, and those that stories build. Safe for use by
 * several threads.
 */
public final class ProjectImages {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectImages.class);

    private final Settings settings;
    private final Path directory;
    private final Builds builds;
    private final UsableImages usable;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * The images of a project.
     *
     * @param directory the project directory
     * @param usable which images agents may use
     */
    ProjectImages(Settings settings, Path directory, Builds builds, UsableImages usable) {
        this.settings = settings;
        this.directory = directory;
        this.builds = builds;
        this.usable = usable;
    }

    /** The settings. */
    public Settings settings() {
        return settings;
    }

    /** Builds images. */
    public Builds builds() {
        return builds;
    }

    /** The image that is never modified. */
    public ProjectImage safe(Engine engine) {
        return new ProjectImage(BootstrapImage.NAME, usable.safe(engine).id(), ProjectImage.Origin.SAFE);
    }

    /**
     * The image that new containers of the project are made from: the pinned one, unless the configuration has changed since;
     * else the configured one, or one built from the configured Dockerfile; else the safe one.
     *
     * @param files the directory whose files it is built from, if it has to be built
     * @throws MissingImageException when the configuration names one that cannot be had
     * @throws DockerException when it cannot be built
     */
    public ProjectImage project(Engine engine, Workplace place, Path files) {
        Optional<ProjectImage> pinned = pinned(engine, place, files);
        if (pinned.isPresent()) {
            return pinned.get();
        }
        if (settings.images().image().isPresent()) {
            String name = settings.images().image().get();
            Image image = usable.configured(engine, name);
            return new ProjectImage(name, image.id(), ProjectImage.Origin.CONFIGURED);
        }
        if (settings.images().dockerfile().isPresent()) {
            String dockerfile = settings.images().dockerfile().get();
            Image image = built(engine, place, files, new BuildPlan(dockerfile, ".", Map.of()), "project");
            return new ProjectImage(dockerfile, image.id(), ProjectImage.Origin.BUILT);
        }
        return safe(engine);
    }

    private Optional<ProjectImage> pinned(Engine engine, Workplace place, Path files) {
        Optional<PinnedImage> found = PinnedImage.read(directory);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        PinnedImage pin = found.get();
        if (!pin.replaces().equals(replaced())) {
            LOG.info(
                    "the image of story {} is not used any more: the configuration has changed from '{}' to '{}'",
                    pin.story(),
                    pin.replaces(),
                    replaced());
            return Optional.empty();
        }
        if (engine.image(pin.image()).isPresent()) {
            return Optional.of(new ProjectImage(pin.image(), pin.image(), ProjectImage.Origin.PINNED));
        }
        if (pin.recipe().filter(recipe -> recipe.arguments().isEmpty()).isPresent()) {
            LOG.info(
                    "the image of story {} is not on {}; it is built again from {}",
                    pin.story(),
                    engine.cli().host().name(),
                    pin.recipe().get().dockerfile());
            Image image = built(engine, place, files, pin.recipe().get(), "pinned");
            return Optional.of(
                    new ProjectImage(pin.recipe().get().dockerfile(), image.id(), ProjectImage.Origin.PINNED));
        }
        LOG.warn("the image {} of story {} is gone; the configured one is used", pin.image(), pin.story());
        return Optional.empty();
    }

    /** What the repository says may be as bad as what an agent does. */
    private Image built(Engine engine, Workplace place, Path files, BuildPlan recipe, String what) {
        try {
            return builds.build(engine, place, files, recipe, tag(what));
        } catch (IllegalArgumentException e) {
            throw new DockerException("the project's image is not built: " + e.getMessage(), e);
        }
    }

    /** What the configuration says, so that a pin can tell whether it still says that. */
    private String replaced() {
        if (settings.images().image().isPresent()) {
            return "image " + settings.images().image().get();
        }
        if (settings.images().dockerfile().isPresent()) {
            return "dockerfile " + settings.images().dockerfile().get();
        }
        return "base " + settings.images().base().orElse("default");
    }

    /** The name of an image that an agent calls by a shorter one. */
    public String scoped(Workplace place, String tag) {
        return usable.scoped(place, tag);
    }

    /**
     * The image that an agent means.
     *
     * @throws IllegalArgumentException when it is none, or one that the agent may not use; the message is for a model
     */
    public Image find(Engine engine, Workplace place, String name) {
        return usable.find(engine, place, name);
    }

    /**
     * The image that a name means in files that are reviewed, for what is kept or judged.
     *
     * @throws IllegalArgumentException when it is none of the host's; the message is for a model
     */
    public Image findForReview(Engine engine, String name) {
        return usable.findForReview(engine, name);
    }

    /** The name that a story's image has while it is checked. */
    String checkTag(Workplace place) {
        return "maestro-" + builds.instance().id().substring(0, 8) + "/check-" + UsableImages.slug(place.agentId());
    }

    /** A name of an image of this instance's. */
    String tag(String what) {
        return "maestro-" + builds.instance().id().substring(0, 8) + ":" + what;
    }

    /**
     * Why the project may not be given an image for good; empty for one that was built here from files of the repository alone,
     * or that it was given before.
     *
     * @param image on the engine
     */
    public Optional<String> whyNotOwn(Engine engine, Image image) {
        if (usable.isChosen(engine, image)) {
            return Optional.empty();
        }
        Optional<BuildPlan> recipe = recipe(image);
        if (recipe.isEmpty()) {
            return Optional.of("was not built here from a Dockerfile of the repository, so others could not get it;"
                    + " build one FROM it with container_build");
        }
        return recipe.get().arguments().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "was built with build_args " + recipe.get().arguments().keySet()
                                + ", whose values no review sees; write them into "
                                + recipe.get().dockerfile()
                                + " as defaults of its ARGs, and build it again without build_args");
    }

    /** How an image was built from the repository; empty when it was not, whatever it says itself. */
    public Optional<BuildPlan> recipe(Image image) {
        return usable.built().recipe(image.id());
    }

    /** Makes an image the project's own. The one before it goes, unless it is used. */
    void adopt(Engine engine, Workplace place, String image, String story) {
        lock.lock();
        try {
            Image found = engine.image(image)
                    .orElseThrow(() -> new DockerException(
                            "the image " + image + " is not on the engine "
                                    + engine.cli().host().name() + " any more",
                            null));
            whyNotOwn(engine, found).ifPresent(why -> {
                throw new DockerException("the image " + image + " " + why, null);
            });
            Optional<PinnedImage> before = PinnedImage.read(directory);
            new PinnedImage(
                            found.id(),
                            replaced(),
                            story,
                            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                            recipe(found))
                    .write(directory);
            // After the file: a tag too few can be put right by a build, an image that nobody knows stays for ever.
            engine.cli().output("tag", found.id(), tag("pinned"));
            LOG.info("the project works in the image {} of story {} from now on", found.id(), story);
            if (before.isPresent() && !before.get().image().equals(found.id())) {
                engine.image(before.get().image())
                        .filter(old -> usable.built().contains(old.id()))
                        .ifPresent(old -> remove(engine, old));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes what stories have built that have ended, and nobody uses any more.
     *
     * @param ended whether a story has, by its id
     */
    void removeUnpinned(Engine engine, Predicate<String> ended) {
        lock.lock();
        try {
            Optional<String> pinned = PinnedImage.read(directory).map(PinnedImage::image);
            for (Image image : engine.images()) {
                String story = image.labels().get(Labels.STORY);
                if (story != null && ended.test(story) && !pinned.equals(Optional.of(image.id()))) {
                    remove(engine, image);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** All images that were built from the repository here and that are still there. */
    public List<Image> built(Engine engine) {
        return engine.images().stream()
                .filter(image -> recipe(image).isPresent())
                .toList();
    }

    /** Not by force: an image that a container uses stays, until the sweep. */
    private void remove(Engine engine, Image image) {
        try {
            engine.removeImage(image.id());
            usable.built().remove(image.id());
        } catch (DockerException e) {
            LOG.debug("the image {} stays", image.id(), e);
        }
    }
}
