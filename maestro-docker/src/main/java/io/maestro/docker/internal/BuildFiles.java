package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a build, all symbolic links resolved and seen to lie in its root.
 *
 * @param root the directory that nothing outside is read of
 * @param context the directory whose files can be used
 * @param dockerfile the Dockerfile
 * @param text what the Dockerfile says
 */
public record BuildFiles(Path root, Path context, Path dockerfile, String text) {
    /** How long a Dockerfile is at most. */
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
        return new BuildFiles(root, context, dockerfile, text(build, dockerfile));
    }

    private static String text(ImageBuild build, Path dockerfile) {
        try (InputStream in = Files.newInputStream(dockerfile)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw refused("the Dockerfile " + build.dockerfile() + " has more than " + MOST_BYTES
                        + " bytes; what is long belongs into files that are copied");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw refused("the Dockerfile " + build.dockerfile() + " cannot be read: " + e);
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
