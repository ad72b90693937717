package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a build, all symbolic links resolved and seen to lie in its root.
 *
 * @param root the directory that nothing outside is read of
 * @param context the directory whose files can be used
 * @param dockerfile the Dockerfile
 */
record BuildFiles(Path root, Path context, Path dockerfile) {
    private static final Pattern HOSTS = Pattern.compile(
            "^[ \\t]*RUN[ \\t]+(?:--[^ \\t\\n]+[ \\t]+)*(--(?:network=\"?host|security=\"?insecure))",
            Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

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

    /** The builders refuse this too, but not all of them, and not in all versions. */
    private static void requireModest(ImageBuild build, Path dockerfile) {
        String text;
        try {
            // Escapes at the ends of lines join them. Bytes that are no text do not matter here.
            text = Files.readString(dockerfile, StandardCharsets.ISO_8859_1).replaceAll("[\\\\`][ \\t]*\\r?\\n", " ");
        } catch (IOException e) {
            throw refused("the Dockerfile " + build.dockerfile() + " cannot be read: " + e);
        }
        Matcher flag = HOSTS.matcher(text);
        if (flag.find()) {
            throw refused("the Dockerfile " + build.dockerfile() + " asks for " + flag.group(1)
                    + ", which would give a command of the build the machine's own; leave it away");
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
