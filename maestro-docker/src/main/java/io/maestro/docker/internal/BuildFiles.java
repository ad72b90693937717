package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a build, all symbolic links resolved and seen to lie in its root.
 *
 * @param root the directory that nothing outside is read of
 * @param context the directory whose files can be used
 * @param dockerfile the Dockerfile
 */
record BuildFiles(Path root, Path context, Path dockerfile) {
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
        requireModest(build, dockerfile);
        return new BuildFiles(root, context, dockerfile);
    }

    private static void requireModest(ImageBuild build, Path dockerfile) {
        try {
            DockerfileCheck.ofCommands(new String(Files.readAllBytes(dockerfile), StandardCharsets.UTF_8))
                    .ifPresent(fault -> {
                        throw refused("the Dockerfile " + build.dockerfile() + " " + fault);
                    });
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
