package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ContainerRules;
import io.maestro.docker.DockerException;
import io.maestro.docker.Purpose;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DerivedImage;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.egress.UntrustedNames;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The images of one owner's containers: of a purpose, which are built once and before anything of a user's is there, and
 * snapshots, which are the owner's alone. Safe for use by several threads.
 */
final class Images {
    private static final Duration PULL = Duration.ofMinutes(10);
    private static final String SNAPSHOT = "snapshot";

    private final Engine engine;
    private final String owner;
    private final ContainerRules rules;
    private final boolean ofAgent;

    /**
     * Knows none yet.
     *
     * @param rules which images the host has named, and from where others are fetched
     * @param ofAgent whether the owner is an agent of the engine's instance: nothing is fetched that strangers name
     */
    Images(Engine engine, String owner, ContainerRules rules, boolean ofAgent) {
        this.ofAgent = ofAgent;
        this.engine = engine;
        this.owner = owner;
        this.rules = rules;
    }

    /**
     * The image of a container.
     *
     * @param image the image
     * @param installed whether what the purpose installs is in it
     * @param cached whether it was there
     */
    record FoundImage(Image image, boolean installed, boolean cached) {
        String id() {
            return image.id();
        }

        /** Whether strangers have made something of it. */
        boolean isStrange() {
            return "yes".equals(image.labels().get(Labels.STRANGE));
        }
    }

    /** The image of a purpose with all that it installs; it is built again when that is asked for, or it is older than that. */
    FoundImage of(Purpose purpose, boolean fresh, Instant oldest) {
        Image base = trusted(purpose.image());
        if (purpose.setUp().isEmpty()) {
            return new FoundImage(base, true, true);
        }
        DerivedImage image = DerivedImage.of(engine, purpose.name(), base.id(), purpose.setUp());
        Optional<Image> there = fresh ? Optional.empty() : image.findSince(oldest);
        return new FoundImage(there.orElseGet(image::again), true, there.isPresent());
    }

    /**
     * An image that somebody names. What it is built from may be strangers', so that nothing is built from it: what the purpose
     * installs is installed in the container.
     */
    FoundImage named(Image image) {
        return new FoundImage(image, false, true);
    }

    /** An image that the host names; one that is not there is fetched where that is allowed. */
    Image present(String name) {
        Optional<Image> there = engine.image(name);
        if (there.isEmpty() && rules.allowPull()) {
            ExecResult result = engine.cli()
                    .run(engine.cli()
                            .command(List.of("pull", "--quiet", name))
                            .timeLimit(PULL)
                            .build());
            if (!result.succeeded()) {
                throw engine.cli().failure(result, "pull", name);
            }
            there = engine.image(name);
        }
        return there.orElseThrow(() -> new DockerException(
                "there is no image '" + name + "' on " + engine.cli().host().name()
                        + (rules.allowPull() ? "" : ", and none is fetched; build it, or name one that is there"),
                null));
    }

    /**
     * An image that the rules name. Where agents build images on this engine, too, it is none of theirs, whatever its
     * name.
     *
     * @throws DockerException when it is one that was built here, or cannot be had
     */
    Image trusted(String name) {
        Image image = present(name);
        if (ofAgent && engine.instance().id().equals(image.labels().get(Labels.BUILT_BY))) {
            throw new DockerException(
                    "the image '" + name + "' was built by an agent, and is not taken for the one that the rules name;"
                            + " remove it, and fetch or build that one",
                    null);
        }
        return image;
    }

    /**
     * An image that strangers name. One that the rules name is the host's choice; every other is fetched as anybody could, also
     * where the engine has one of its name, which may be private.
     *
     * @throws IllegalArgumentException when it may not be used; the message begins with its name
     * @throws DockerException when the rules name it, and it cannot be had
     */
    Image ofStrangers(String name) {
        if (name.equals(rules.image())
                || rules.purposes().values().stream().map(Purpose::image).anyMatch(name::equals)) {
            return trusted(name);
        }
        try {
            String full = UntrustedNames.image(name, rules.registries());
            if (ofAgent || !rules.allowPull()) {
                throw new IllegalArgumentException("is not fetched here");
            }
            return engine.pullAnonymously(full, PULL)
                    .orElseThrow(
                            () -> new IllegalArgumentException(
                                    "cannot be had without the host's logins; whoever sets the rules allows it by the image of a purpose"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the image '" + name + "' " + e.getMessage(), e);
        }
    }

    /** A snapshot is its owner's, and known for what is in it, by its name only. */
    Image notSnapshot(Image image) {
        if (image.labels().getOrDefault(Labels.RECIPE, "").startsWith(SNAPSHOT + " ")) {
            throw new IllegalArgumentException("the image " + image.id() + " is a snapshot; name it as one");
        }
        return image;
    }

    private String tag(String name) {
        return "maestro-" + SNAPSHOT + ":" + engine.instance().id() + "-"
                + HexFormat.of().toHexDigits((owner + " " + name).hashCode()) + "-" + name;
    }

    /** A snapshot of the owner's. */
    Optional<Image> snapshot(String name) {
        return engine.image(tag(name))
                .filter(image -> recipe(name).equals(image.labels().get(Labels.RECIPE)));
    }

    private String recipe(String name) {
        return SNAPSHOT + " " + owner + " " + name;
    }

    /** Takes the place of one of the same name. */
    String take(Container container, String name) {
        Optional<Image> former = snapshot(name);
        String strange = container.labels().getOrDefault(Labels.STRANGE, "");
        String id = engine.commit(container, tag(name), Map.of(Labels.RECIPE, recipe(name), Labels.STRANGE, strange));
        former.filter(image -> !image.id().equals(id)).ifPresent(image -> {
            // It stays where a container uses it, and has no name any more.
            ExecResult unused = engine.cli().run("image", "rm", image.id());
        });
        return id;
    }

    /** The names of the owner's snapshots. */
    List<String> snapshots() {
        String prefix = SNAPSHOT + " " + owner + " ";
        return engine.images().stream()
                .map(image -> image.labels().getOrDefault(Labels.RECIPE, ""))
                .filter(recipe -> recipe.startsWith(prefix))
                .map(recipe -> recipe.substring(prefix.length()))
                .filter(name -> snapshot(name).isPresent())
                .sorted()
                .distinct()
                .toList();
    }

    /** Removes a snapshot; fine when it is gone. */
    void removeSnapshot(String name) {
        snapshot(name).map(Image::id).ifPresent(engine::removeImage);
    }

    /** Removes the images of a purpose, or of all; what containers use stays as long as they do. */
    List<String> clear(Optional<String> purpose) {
        List<String> removed = new ArrayList<>();
        List<String> names = new ArrayList<>(DerivedImage.tags(engine, purpose));
        if (purpose.orElse(Purpose.TRY_REPO).equals(Purpose.TRY_REPO)) {
            names.addAll(RepositoryImage.names(engine, owner));
        }
        for (String tag : names) {
            if (engine.cli().run("image", "rm", "--", tag).succeeded()) {
                removed.add(tag);
            }
        }
        return removed;
    }
}
