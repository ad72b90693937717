package io.maestro.docker.internal;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ImageBuild;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image of the safe container, made from files of this jar and a base. Its name says what it is made of, so it is built
 * once and never changed; it belongs to all instances, and none removes it.
 */
public final class BootstrapImage {
    /** The name of all of them, without the tag; nothing else may be built under it. */
    public static final String NAME = "maestro-bootstrap";

    /** What it is built on when nothing is chosen. */
    public static final String DEFAULT_BASE = "debian:stable-slim";

    private static final Logger LOG = LoggerFactory.getLogger(BootstrapImage.class);
    private static final List<String> FILES = List.of("Dockerfile", "install.sh");
    private static final Duration TIME_LIMIT = Duration.ofMinutes(15);

    private BootstrapImage() {}

    /**
     * Builds the image unless it is there. Where the engine does not have the base it fetches it.
     *
     * @param base the name of an image with apt-get, apk, dnf or microdnf, or with all that is needed
     * @throws io.maestro.docker.ImageBuildException when it cannot be built; nothing is left then
     */
    public static Image ensure(Engine engine, String base) {
        String tag = tag(engine, base);
        Optional<Image> there = engine.image(tag);
        if (there.isPresent()) {
            return there.get();
        }
        LOG.info("building the image {} on {}; this is done once", tag, base);
        return BuildDirectory.use(engine.cli().directory(), directory -> {
            for (String file : FILES) {
                Files.writeString(directory.resolve(file), text(file));
            }
            return engine.builder()
                    .buildShared(
                            ImageBuild.builder(directory)
                                    .tag(tag)
                                    .argument("BASE", base)
                                    .timeLimit(TIME_LIMIT)
                                    .build(),
                            "bootstrap");
        });
    }

    /** The name of the image on an engine, for a Dockerfile that starts from it; built unless it is there. */
    public static String nameOn(Engine engine, String base) {
        ensure(engine, base);
        return tag(engine, base);
    }

    /** The full name for a base: another base, a newer image under its name, or other files of this jar make another. */
    static String tag(Engine engine, String base) {
        if (!ContainerSpec.isImageName(base)) {
            throw new IllegalArgumentException("not the name of an image to build " + NAME + " on: '" + base + "'");
        }
        String id = engine.image(base).map(Image::id).orElse("");
        return NAME + ":" + ContentHash.of(base, id, text(FILES.get(0)), text(FILES.get(1)));
    }

    private static String text(String file) {
        try (InputStream in = BootstrapImage.class.getResourceAsStream("/io/maestro/docker/bootstrap/" + file)) {
            if (in == null) {
                throw new IllegalStateException("the file " + file + " of " + NAME + " is not in this jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
