package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;

/**
 * Writes files from inside a container, as their owner and by its shell, so that every file system is reached that the container
 * sees, and nothing that the owner may not write. For one thread at a time.
 */
final class TextWriter implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The script's exit code when the owner may not write there. */
    private static final int REFUSED = 3;

    /**
     * Path, its directory, a fresh path in that, mode and size; the content is its input. It is counted, because input that was
     * cut looks like the end. Directories get no mode that the file has, so the mask is changed in between.
     */
    private static final String SCRIPT = """
            if [ -d "$1" ]; then echo "it is a directory" >&2; exit 4; fi
            umask 022
            [ -d "$2" ] || mkdir -p "$2" || exit 3
            umask 077
            trap 'rm -f "$3"' EXIT
            cat >"$3" || exit 3
            if [ "$(wc -c <"$3")" -ne "$5" ]; then echo "it did not get there as a whole" >&2; exit 5; fi
            chmod "$4" "$3" && mv -f "$3" "$1" || exit 3
            """;

    private final String container;
    private final Owner owner;
    private final DockerExecutor executor;

    /** @param owner as whom */
    TextWriter(DockerExecutor.Builder executor, String container, Owner owner) {
        this.container = container;
        this.owner = owner;
        this.executor = executor.workingDirectory("/")
                .user(owner.toString())
                .channels(1)
                .build();
    }

    /**
     * Writes a file, whole or not at all.
     *
     * @return empty when it is written; else why the owner may not write there
     * @throws DockerException when it fails in another way
     */
    String write(ContainerPath path, byte[] content, int mode) {
        String parent = path.parent();
        String fresh = (parent.equals("/") ? "" : parent) + "/.maestro-new-" + UUID.randomUUID();
        ExecResult result = executor.run(ExecRequest.command(
                        "sh",
                        "-c",
                        SCRIPT,
                        "sh",
                        path.toString(),
                        parent,
                        fresh,
                        String.format(Locale.ROOT, "%04o", mode),
                        Integer.toString(content.length))
                .stdin(content)
                .timeLimit(LIMIT)
                .build());
        if (result.succeeded()) {
            return "";
        }
        String said = result.stderr().text().strip();
        if (result.exitCode().orElse(-1) == REFUSED) {
            return "user " + owner + " cannot write it: " + said;
        }
        throw new DockerException(
                "writing " + path + " in " + container + " ended (" + result.ending() + ", "
                        + result.exitCode().orElse(-1) + "): " + said,
                null);
    }

    @Override
    public void close() {
        executor.close();
    }
}
