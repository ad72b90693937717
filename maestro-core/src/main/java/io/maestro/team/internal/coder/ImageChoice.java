package io.maestro.team.internal.coder;

import io.maestro.team.internal.dispatch.StoryProgress;
import org.jspecify.annotations.Nullable;

/** The container images of a story: the one that its commands run in, and the one that it brings to the project. */
final class ImageChoice {
    private final StoryProgress progress;

    ImageChoice(StoryProgress progress) {
        this.progress = progress;
    }

    /** The image that the project is to use from now on; null when the coder wants no other one. */
    @Nullable
    String forProject() {
        return progress.containerModified ? progress.newContainerImage : null;
    }

    /** The image to go on in after a restart; null for the project's. */
    @Nullable
    String current() {
        return progress.currentImage != null ? progress.currentImage : progress.newContainerImage;
    }

    /** The image that an earlier attempt brings to the project, if that attempt was merged; null when there is none. */
    @Nullable
    String ifMerged() {
        return progress.imageIfMerged;
    }

    /** No earlier attempt was merged. */
    void notMerged() {
        progress.imageIfMerged = null;
    }

    /** Commands run in another image; null when that is not known, because nothing has changed. */
    void switched(@Nullable String image) {
        if (image != null) {
            progress.currentImage = image;
        }
    }

    /** The coder wants the project to use an image; null when that has come to nothing. */
    void update(@Nullable String image) {
        progress.containerModified = image != null;
        progress.newContainerImage = image;
        switched(image);
    }

    /** The image for the project has passed its check, under the name that pins it. */
    void pinned(String image) {
        if (String.valueOf(progress.newContainerImage).equals(progress.currentImage)) {
            progress.currentImage = image;
        }
        progress.newContainerImage = image;
    }

    /** How many calls that change the container are taken note of. */
    int changes() {
        return progress.containerChanges;
    }

    /** One more is. */
    void changed() {
        progress.containerChanges++;
    }
}
