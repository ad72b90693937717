package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.environment.Workplace;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which image one attempt works in: what the agent has chosen, else the project's own, and the safe one where that cannot be
 * used. Only {@link #problem} is safe for use by several threads; the others need the environment's lock.
 */
final class ImageChoice {
    private static final Logger LOG = LoggerFactory.getLogger(ImageChoice.class);

    private final Workplace place;
    private final ProjectImages images;
    /** What the agent has chosen, in this life or an earlier one. */
    private @Nullable ProjectImage chosen;
    /** The project's own image, once it was looked for. */
    private @Nullable ProjectImage project;
    /** Why another image runs than should. */
    private volatile @Nullable String problem;

    ImageChoice(Workplace place, ProjectImages images) {
        this.place = place;
        this.images = images;
    }

    /** Why another image runs than should; empty when all is well. */
    Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** Takes up what the agent had chosen in an earlier life, if it is still there. */
    void resume(Engine engine, String image) {
        Optional<Image> found = usable(engine, image);
        if (found.isEmpty()) {
            LOG.warn(
                    "the image {} that {} had chosen is not there any more; its commands run in the project's own",
                    image,
                    place.agentId());
            return;
        }
        chosen = new ProjectImage(image, found.get().id(), ProjectImage.Origin.UPDATED);
    }

    private Optional<Image> usable(Engine engine, String image) {
        try {
            return Optional.of(images.find(engine, place, image));
        } catch (IllegalArgumentException e) {
            LOG.debug("{} cannot have what it had chosen", place.agentId(), e);
            return Optional.empty();
        }
    }

    /**
     * An image by its name.
     *
     * @throws DockerException when it is not there
     */
    static ProjectImage named(Engine engine, String name, ProjectImage.Origin origin) {
        Image image = engine.image(name)
                .orElseThrow(() -> new DockerException(
                        "there is no image '" + name
                                + "' on the engine, and none is pulled; container_list shows those of"
                                + " the project, container_build makes one",
                        null));
        return new ProjectImage(name, image.id(), origin);
    }

    /** From here on it is the one that is wanted, and it can be used. */
    void choose(ProjectImage image) {
        chosen = image;
        problem = null;
    }

    /** From here on the safe image is the one that is wanted. */
    void fallBack(ProjectImage safe, String why) {
        chosen = safe;
        problem = why;
    }

    /** The safe image. */
    ProjectImage safe(Engine engine) {
        return images.safe(engine);
    }

    /**
     * Starts a container from the image that is wanted, or else from the safe one.
     *
     * @param start starts one from an image
     * @throws MissingImageException when the configured one cannot be had
     * @throws DockerException when neither can be used, or the thread is interrupted
     */
    AgentContainer start(Engine engine, Function<ProjectImage, AgentContainer> start) {
        @Nullable ProjectImage wanted = null;
        try {
            wanted = wanted(engine);
            AgentContainer started = start.apply(wanted);
            if (wanted.origin() != ProjectImage.Origin.SAFE) {
                problem = null;
            }
            return started;
        } catch (MissingImageException e) {
            throw e;
        } catch (DockerException e) {
            requireNoInterrupt(e);
            if (wanted != null && wanted.origin() == ProjectImage.Origin.SAFE) {
                throw e;
            }
            problem = String.valueOf(e.getMessage());
            LOG.warn(
                    "{} works in the safe image, because {} cannot be used: {}",
                    place.agentId(),
                    wanted == null ? "the project's own" : wanted,
                    problem);
            return start.apply(images.safe(engine));
        }
    }

    private ProjectImage wanted(Engine engine) {
        ProjectImage wanted = chosen;
        if (wanted != null) {
            return wanted;
        }
        ProjectImage own = project;
        if (own == null) {
            own = images.project(engine, place, place.directory());
            project = own;
        }
        return own;
    }

    /**
     * Starts a container for what is judged: from the project's own image as the files of a checkout have it, whatever the agent
     * has chosen, or else from the safe one.
     *
     * @param start starts one from the id of an image
     * @throws DockerException when neither can be used, or the thread is interrupted
     */
    Container startFresh(Engine engine, Path checkout, Function<String, Container> start) {
        try {
            return start.apply(images.project(engine, place, checkout).id());
        } catch (MissingImageException e) {
            throw e;
        } catch (DockerException e) {
            requireNoInterrupt(e);
            LOG.warn(
                    "what {} has made is tested in the safe image, because the project's own cannot be used: {}",
                    place.agentId(),
                    e.getMessage());
            return start.apply(images.safe(engine).id());
        }
    }

    /** An interrupted thread starts nothing any more; what failed may only have been cancelled. */
    static void requireNoInterrupt(DockerException e) {
        if (Thread.currentThread().isInterrupted()) {
            throw e;
        }
    }
}
