package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The images of agents: {@code image}, {@code dockerfile}, {@code base} and {@code allowed_images} of the object {@code container} of the configuration. Immutable: each setter returns changed options.
 *
 * <pre>{@code DockerEnvironments.builder().images(images -> images.base("alpine:3").allowed("postgres", "maven:*"))}</pre>
 */
public final class ImageOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> IMAGE = GROUP.text("container.image").checked(ImageOptions::requireImage);
    private static final Setting<String> DOCKERFILE = GROUP.text("container.dockerfile")
            .checked(path -> {
                if (path.isBlank()) {
                    throw new IllegalArgumentException("the path of the Dockerfile must not be blank");
                }
            });
    private static final Setting<String> BASE = GROUP.text("container.base").checked(ImageOptions::requireImage);
    private static final Setting<List<String>> ALLOWED =
            GROUP.texts("container.allowed_images").checked(names -> names.forEach(ImageOptions::requirePattern));

    private static final ImageOptions DEFAULTS = new ImageOptions(GROUP.none());

    private final SettingValues values;

    private ImageOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static ImageOptions defaults() {
        return DEFAULTS;
    }

    ImageOptions under(Config file) {
        return new ImageOptions(values.under(file));
    }

    private <T> ImageOptions with(Setting<T> setting, T value) {
        return new ImageOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    private static void requireImage(String name) {
        if (!ContainerSpec.isImageName(name)) {
            throw new IllegalArgumentException("must be the name, id or digest of an image, is '" + name + "'");
        }
    }

    private static void requirePattern(String name) {
        String plain = name.endsWith("*") ? name.substring(0, name.length() - 1) + "x" : name;
        if (!ContainerSpec.isImageName(plain)) {
            throw new IllegalArgumentException(
                    "must have names of images, each with an optional * at its end, has '" + name + "'");
        }
    }

    /**
     * Sets the image that agents work in, unless a merged story has chosen another one.
     *
     * @param name a name, an id or a digest; pulled where an engine does not have it, and an error when that fails
     * @return changed options
     * @throws IllegalArgumentException when it is none
     */
    public ImageOptions image(String name) {
        return with(IMAGE, name);
    }

    /**
     * The image that agents work in.
     *
     * @return empty unless set
     */
    public Optional<String> image() {
        return values.find(IMAGE);
    }

    /**
     * Sets from what the image is built where none is set.
     *
     * @param path of a Dockerfile in the repository
     * @return changed options
     */
    public ImageOptions dockerfile(String path) {
        return with(DOCKERFILE, path);
    }

    /**
     * From what the image is built.
     *
     * @return empty unless set
     */
    public Optional<String> dockerfile() {
        return values.find(DOCKERFILE);
    }

    /**
     * Sets on what the safe image is built.
     *
     * @param name an image with apt-get, apk, dnf or microdnf, or with git, curl, make and cc
     * @return changed options
     * @throws IllegalArgumentException when it is no name of an image
     */
    public ImageOptions base(String name) {
        return with(BASE, name);
    }

    /**
     * On what the safe image is built.
     *
     * @return empty unless set: {@code debian:stable-slim}
     */
    public Optional<String> base() {
        return values.find(BASE);
    }

    /**
     * Sets which images agents may use beside the safe one, the project's and what they build: in Dockerfiles, services and
     * tools. One that the engine does not have is pulled, with the logins of the engine's user.
     *
     * @param names names with a tag, without one for all tags, or with an {@code *} at the end
     * @return changed options
     * @throws IllegalArgumentException when one is none
     */
    public ImageOptions allowed(String... names) {
        return with(ALLOWED, List.of(names));
    }

    /**
     * Which images agents may use beside the safe one, the project's and what they build.
     *
     * @return unmodifiable; empty unless set
     */
    public List<String> allowed() {
        return values.get(ALLOWED);
    }
}
