package io.maestro.team.internal.story;

import org.jspecify.annotations.Nullable;

/** The container images of a story: the one that its commands run in, and the one that it brings to the project. */
public final class ImageChoice {
    private boolean containerModified;
    private @Nullable String newContainerImage;
    private @Nullable String currentImage;
    private int containerChanges;
    private @Nullable String imageIfMerged;

    ImageChoice() {}

    /** The same for the next attempt, when this one may have been merged. */
    ImageChoice next() {
        ImageChoice next = new ImageChoice();
        next.imageIfMerged = containerModified ? newContainerImage : imageIfMerged;
        return next;
    }

    /** The image that the project is to use from now on; null when the coder wants no other one. */
    public @Nullable String forProject() {
        return containerModified ? newContainerImage : null;
    }

    /** The image to go on in after a restart; null for the project's. */
    public @Nullable String current() {
        return currentImage != null ? currentImage : newContainerImage;
    }

    /** The image that an earlier attempt brings to the project, if that attempt was merged; null when there is none. */
    public @Nullable String ifMerged() {
        return imageIfMerged;
    }

    /** No earlier attempt was merged. */
    public void notMerged() {
        imageIfMerged = null;
    }

    /** Commands run in another image; null when that is not known, because nothing has changed. */
    public void switched(@Nullable String image) {
        if (image != null) {
            currentImage = image;
        }
    }

    /** The coder wants the project to use an image; null when that has come to nothing. */
    public void update(@Nullable String image) {
        containerModified = image != null;
        newContainerImage = image;
        switched(image);
    }

    /** The image for the project has passed its check, under the name that pins it. */
    public void pinned(String image) {
        if (String.valueOf(newContainerImage).equals(currentImage)) {
            currentImage = image;
        }
        newContainerImage = image;
    }

    /** How many calls that change the container are taken note of. */
    public int changes() {
        return containerChanges;
    }

    /** One more is. */
    public void changed() {
        containerChanges++;
    }
}
