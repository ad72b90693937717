package io.maestro.docker.internal.workspace;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out whether an engine sees this machine's files: a throwaway container has to read a file that was made a moment
 * before; and whether it runs on this machine's kernel, which is what sockets in a mounted directory need. Remembers the
 * answers of each engine. Safe for use by several threads.
 */
public final class BindProbe {
    private static final String ROLE = "probe";
    private static final String TARGET = "/probe";

    private static final int TRIES = 3;

    /** Drawn by the kernel when it starts. */
    private static final String KERNEL = "/proc/sys/kernel/random/boot_id";

    private final Path parent;
    private final Map<DockerHost, Sight> answers = new ConcurrentHashMap<>();

    /** What containers of an engine see of this machine. */
    private record Sight(boolean files, boolean kernel) {}

    /**
     * For one project.
     *
     * @param parent a directory of the project that agents cannot write, {@code .maestro}; made when missing
     */
    public BindProbe(Path parent) {
        this.parent = parent.toAbsolutePath();
    }

    /**
     * Whether a bind mount of a directory of this machine shows its files in a container.
     *
     * @param image an image on the engine that has {@code cat}
     * @throws io.maestro.error.MaestroException when it cannot be found out; asked again next time then
     */
    public boolean works(Engine engine, String image) {
        return sight(engine, image).files();
    }

    /**
     * Whether its containers run on this machine itself, not in a virtual machine on it or elsewhere: unix sockets in a mounted
     * directory can be reached then.
     *
     * @param image an image on the engine that has {@code cat}
     * @throws io.maestro.error.MaestroException when it cannot be found out; asked again next time then
     */
    public boolean isHere(Engine engine, String image) {
        Sight sight = sight(engine, image);
        return sight.files() && sight.kernel();
    }

    private Sight sight(Engine engine, String image) {
        DockerHost host = engine.cli().host();
        Sight known = answers.get(host);
        if (known == null) {
            known = probe(engine, image);
            answers.put(host, known);
        }
        return known;
    }

    private Sight probe(Engine engine, String image) {
        String mark = UUID.randomUUID().toString();
        Path directory = parent.resolve("probe-" + mark);
        try {
            Files.createDirectories(directory);
            try {
                Files.writeString(directory.resolve("mark"), mark + "\n");
                return reads(engine, image, directory, mark);
            } finally {
                SafeDirectory.deleteTree(directory);
            }
        } catch (IOException e) {
            throw new DockerException("cannot try a bind mount with " + directory + ": " + e, e);
        }
    }

    private static Sight reads(Engine engine, String image, Path directory, String mark) {
        String imageId = engine.image(image)
                .orElseThrow(() -> new DockerException(
                        "there is no image '" + image + "' on "
                                + engine.cli().host().name() + "; build it first",
                        null))
                .id();
        String name = engine.instance().uniqueName(ROLE, ROLE);
        List<String> words = new ArrayList<>(List.of("run", "--rm", "--pull", "never", "--name", name));
        words.addAll(List.of("--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"));
        words.addAll(List.of("--read-only", "--pids-limit", "16", "--memory", "64m", "--user", "0:0"));
        engine.instance().labels().forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        words.addAll(List.of("--label", Labels.ROLE + "=" + ROLE));
        // This form fails where the directory is not there; the short one would make it.
        words.addAll(
                List.of("--mount", mount(directory), "--entrypoint", "cat", "--", imageId, TARGET + "/mark", KERNEL));
        for (int tries = 1; ; tries++) {
            ExecResult result;
            try {
                result = engine.cli().run(engine.cli().command(words).build());
            } finally {
                engine.removeContainer(name);
            }
            Optional<Sight> sight = sight(result, directory, mark);
            if (sight.isPresent()) {
                return sight.get();
            }
            if (tries == TRIES) {
                throw engine.cli().failure(result, "run", "--mount", mount(directory), image, "cat", TARGET + "/mark");
            }
        }
    }

    /** Empty when nothing follows from it: a client may lose what a short container says, and a busy engine fails at other things. */
    private static Optional<Sight> sight(ExecResult result, Path directory, String mark) {
        List<String> lines = result.stdout().text().lines().map(String::strip).toList();
        if (result.succeeded()) {
            return lines.size() == 2 && lines.get(0).equals(mark)
                    ? Optional.of(new Sight(true, lines.get(1).equals(kernel())))
                    : Optional.empty();
        }
        if (lines.contains(mark)) {
            // The kernel's file is not there.
            return Optional.of(new Sight(true, false));
        }
        String said = result.stderr().text();
        boolean notThere = said.contains(TARGET + "/mark")
                || said.contains(directory.toString())
                        && said.matches("(?is).*(source path does not exist|mounts denied|no such file or directory"
                                + "|not shared from the host).*");
        return result.ending() == ExecResult.Ending.EXITED && notThere
                ? Optional.of(new Sight(false, false))
                : Optional.empty();
    }

    /** Empty where kernels do not say it. */
    private static String kernel() {
        try {
            return Files.readString(Path.of(KERNEL)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static String mount(Path directory) {
        String source = "source=" + directory;
        return "type=bind," + (source.contains(",") ? "\"" + source + "\"" : source) + ",target=" + TARGET
                + ",readonly";
    }
}
