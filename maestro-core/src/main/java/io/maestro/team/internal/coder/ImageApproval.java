package io.maestro.team.internal.coder;

import io.maestro.environment.Environment;
import io.maestro.internal.Uninterrupted;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the image that a story has brought the project's own. The story is done, whatever becomes of that. */
final class ImageApproval {
    private static final Logger LOG = LoggerFactory.getLogger(ImageApproval.class);

    private ImageApproval() {}

    /** The image that the story's own environment has checked, if there is one. */
    static void of(StoryAttempt run) {
        String image = run.images().forProject();
        if (image != null) {
            of(run, image, run::environment);
        }
    }

    /** An image in an environment that may have to be opened for it. Also when the story is being cancelled: it is merged. */
    static void of(StoryAttempt run, String image, Supplier<Environment> environment) {
        try {
            Uninterrupted.run(() -> environment.get().adopt(image));
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn(
                    "story {} is done{}, but its container image {} could not be made the project's own: {}; set it as"
                            + " container.image in config.json, or stories go on with the image of before",
                    run.story().id(),
                    run.mergeCommit() == null ? "" : " and merged as " + run.mergeCommit(),
                    image,
                    e.getMessage());
        }
    }
}
