package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a build, all symbolic links resolved and seen to lie in its root.
 *
 * @param root the directory that nothing outside is read of
 * @param context the directory whose files can be used
 * @param dockerfile the Dockerfile
 * @param text what the Dockerfile says
 * @param ignored what the builder leaves out of the context, as a {@code .dockerignore} says it
 */
public record BuildFiles(Path root, Path context, Path dockerfile, String text, Optional<String> ignored) {
    /** How long a Dockerfile, or what it ignores, is at most. */
    public static final int MOST_BYTES = 256 << 10;

    /** @throws ImageBuildException when one is not there, of another kind, or outside */
    static BuildFiles of(ImageBuild build) {
        Path root = real(build.root(), "root");
        Path context = inside(root, real(build.context(), "context"), build.context(), "context");
        Path dockerfile = inside(root, real(build.dockerfile(), "Dockerfile"), build.dockerfile(), "Dockerfile");
        if (!Files.isDirectory(context)) {
            throw refused("the context " + build.context() + " is no directory");
        }
        if (!Files.isRegularFile(dockerfile)) {
            throw refused("the Dockerfile " + build.dockerfile() + " is no file");
        }
        return new BuildFiles(
                root,
                context,
                dockerfile,
                text(dockerfile, "Dockerfile " + build.dockerfile()),
                ignored(root, context, dockerfile));
    }

    /** Builders take what stands beside the Dockerfile, or what is in the context; some look at the latter only. */
    private static Optional<String> ignored(Path root, Path context, Path dockerfile) {
        Optional<String> inContext = ignored(root, context.resolve(".dockerignore"));
        return ignored(root, dockerfile.resolveSibling(dockerfile.getFileName() + ".dockerignore"))
                .or(() -> inContext);
    }

    private static Optional<String> ignored(Path root, Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Path real = inside(root, real(file, "file"), file, "file");
        if (!Files.isRegularFile(real)) {
            throw refused(file + " is no file");
        }
        return Optional.of(text(real, "file " + file));
    }

    private static String text(Path file, String what) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw refused("the " + what + " has more than " + MOST_BYTES
                        + " bytes, all of which the builder would keep in memory; make it shorter");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw refused("the " + what + " cannot be read: " + e);
        }
    }

    /** Where the Dockerfile is, as the label on the image says it. */
    String dockerfileName() {
        return root.relativize(dockerfile).toString();
    }

    private static Path real(Path path, String what) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw refused("there is no " + what + " " + path);
        }
    }

    private static Path inside(Path root, Path real, Path asked, String what) {
        if (!real.startsWith(root)) {
            throw refused("the " + what + " " + asked
                    + (real.equals(asked) ? "" : " leads to " + real + ", which")
                    + " is outside of " + root);
        }
        return real;
    }

    private static ImageBuildException refused(String reason) {
        return new ImageBuildException("the image is not built: " + reason, "", null);
    }
}
