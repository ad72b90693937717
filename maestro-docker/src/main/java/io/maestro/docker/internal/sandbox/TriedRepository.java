package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.EnvironmentPassthrough;
import io.maestro.docker.internal.sandbox.Steps.Outcome;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A repository of strangers that is to be tried: what it is, told by a clone in a container that is thrown away. Nothing of it runs
 * on the host, and git runs no hook, filter or submodule of it.
 *
 * @param url where it is
 * @param directory where it is in the container
 * @param kind what it is
 * @param container what it says of its container; empty where it says nothing that can be read
 * @param features what it installs, with the defaults that each feature says
 * @param image the id of the image that it asks for, or that was built from its Dockerfile; empty where it has none that is used
 * @param notes what a person should know
 */
record TriedRepository(
        String url,
        String directory,
        RepositoryKind kind,
        Optional<DevContainer> container,
        List<DevContainer.Feature> features,
        Optional<String> image,
        List<String> notes) {
    private static final Duration CLONE = Duration.ofMinutes(5);
    private static final Duration COMMAND = Duration.ofMinutes(15);

    /** What a clone may hold, in KiB: 4 GiB, in files of at most 2. */
    private static final String MOST_KIBIBYTES = String.valueOf(4 << 20);

    /** What git may speak; {@code file} is the container's own file system. Its size is looked at each second, and at the end. */
    static final String CLONE_LINE = """
            ulimit -f 4194304
            if [ -e "$2" ] || [ -L "$2" ]; then
                echo "$2 is there already" >&2
                exit 128
            fi
            fits() {
                size=$(du -sk "$2" 2>/dev/null)
                size=${size%%[!0-9]*}
                [ "${size:-0}" -le "$3" ]
            }
            git -c core.hooksPath=/dev/null -c protocol.allow=never -c protocol.https.allow=always \
            -c protocol.http.allow=always -c protocol.ssh.allow=always -c protocol.git.allow=always \
            -c protocol.file.allow=always clone --quiet --depth 1 --single-branch --no-tags --no-recurse-submodules \
            --template= -- "$1" "$2" &
            git=$!
            (while sleep 1; do fits "$@" || kill $git; done) >/dev/null 2>&1 &
            watch=$!
            wait $git
            result=$?
            kill $watch
            fits "$@" && [ $result != 143 ] && exit $result
            rm -rf -- "$2"
            echo "it holds more than $3 KiB, or was ended" >&2
            exit 1
            """;

    private static final String TEXT = "[ -f \"$1\" ] && [ ! -L \"$1\" ] && head -c 262145 \"$1\"";

    /**
     * Clones it and looks at its files.
     *
     * @param executor of a container that has nothing else, and is removed afterwards
     * @param at where to clone it to
     * @param directory where it will be in the container that it is tried in
     * @param images fetches the image that it asks for, or builds it; throws {@link IllegalArgumentException} or {@link
     *     DockerException}
     * @throws DockerException when it cannot be cloned
     */
    static TriedRepository look(
            DockerExecutor executor,
            String url,
            String name,
            String at,
            String directory,
            Function<DevContainer, String> images) {
        ExecResult cloned = clone(executor, url, at);
        if (!cloned.succeeded()) {
            throw new DockerException("the repository " + url + " cannot be cloned: " + Steps.why(cloned), null);
        }
        ExecResult listed = executor.run(
                ExecRequest.command("ls", "-A", at).outputLimit(256 << 10).build());
        Set<String> names = new LinkedHashSet<>(listed.stdout().text().lines().toList());
        RepositoryKind kind = RepositoryKind.of(names, file -> text(executor, at + "/" + file));
        List<String> notes = new ArrayList<>(kind.notes());
        @Nullable DevContainer container = null;
        for (String location : DevContainer.LOCATIONS) {
            Optional<String> text = container == null ? text(executor, at + "/" + location) : Optional.empty();
            if (text.isPresent()) {
                try {
                    container = DevContainer.read(location, text.get(), new DevContainer.Workspace(name, directory));
                } catch (IllegalArgumentException e) {
                    notes.add(location + " is not followed: " + e.getMessage());
                }
            }
        }
        List<DevContainer.Feature> features = new ArrayList<>();
        Optional<String> image = Optional.empty();
        if (container != null) {
            for (DevContainer.Feature feature : container.features()) {
                Optional<String> text = text(executor, at + "/" + feature.directory() + "/devcontainer-feature.json");
                features.add(text.map(it -> feature.with(it, notes)).orElse(feature));
            }
            image = image(container, images, notes);
            container.refused().forEach(refusal -> notes.add(refusal.member() + " " + refusal.reason()));
            if (!container.workspaceFolder().equals(directory)) {
                notes.add("workspaceFolder is not followed: the repository is in " + directory);
            }
            if (!container.forwardPorts().isEmpty()) {
                notes.add(
                        "forwardPorts are not published: publish the ports that you want, " + container.forwardPorts());
            }
            if (container.remoteUser().isPresent() || container.containerUser().isPresent()) {
                notes.add("the users that it names are not followed: commands run as the container's ordinary user");
            }
        }
        return new TriedRepository(url, directory, kind, Optional.ofNullable(container), features, image, notes);
    }

    private static Optional<String> image(
            DevContainer container, Function<DevContainer, String> images, List<String> notes) {
        if (container.build().isEmpty() && container.image().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(images.apply(container));
        } catch (IllegalArgumentException | DockerException e) {
            notes.add(container
                            .build()
                            .map(build -> build.dockerfile() + " is not built")
                            .orElse("image is not followed")
                    + ", and the image of the purpose is used: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static ExecResult clone(DockerExecutor executor, String url, String directory) {
        return executor.run(ExecRequest.command("sh", "-c", CLONE_LINE, "sh", url, directory, MOST_KIBIBYTES)
                .environment("GIT_TERMINAL_PROMPT", "0")
                .environment("GIT_LFS_SKIP_SMUDGE", "1")
                .environment("GIT_CONFIG_NOSYSTEM", "1")
                .timeLimit(CLONE)
                .build());
    }

    private static Optional<String> text(DockerExecutor executor, String file) {
        ExecResult read = executor.run(ExecRequest.command("sh", "-c", TEXT, "sh", file)
                .outputLimit(1 << 20)
                .build());
        return read.succeeded() ? Optional.of(read.stdout().text()) : Optional.empty();
    }

    /** What its container's commands get beside what the request says. */
    Map<String, String> variables() {
        Map<String, String> variables =
                new TreeMap<>(container.map(DevContainer::containerEnv).orElse(Map.of()));
        // What programs load and run is not decided by strangers.
        variables.keySet().removeIf(EnvironmentPassthrough::decidesWhatRuns);
        return variables;
    }

    /** Clones it into its container, and sets it up there: as it says itself, or else as such repositories mostly are. */
    Outcome setUp(DockerExecutor user, DockerExecutor root, Map<String, String> variables) {
        ExecResult cloned = clone(user, url, directory);
        if (!cloned.succeeded()) {
            return Outcome.failed("not cloned", Steps.why(cloned));
        }
        List<String> good = new ArrayList<>(List.of("clone"));
        List<String> faults = new ArrayList<>();
        features.forEach(feature -> {
            ExecRequest.Builder install = ExecRequest.command("sh", "./install.sh")
                    .workingDirectory(directory + "/" + feature.directory())
                    .timeLimit(COMMAND);
            feature.environment().forEach(install::environment);
            add("feature " + feature.directory(), () -> root.run(install.build()), good, faults);
        });
        if (container.isPresent() && !container.get().commands().isEmpty()) {
            Map<String, String> remote = container.get().remoteEnvIn(variables);
            for (DevContainer.Command command : container.get().commands()) {
                ExecRequest.Builder request = ExecRequest.command(command.argv())
                        .workingDirectory(directory)
                        .timeLimit(COMMAND);
                remote.forEach(request::environment);
                String name = command.stage().member() + (command.name().isEmpty() ? "" : " " + command.name());
                add(name, () -> user.run(request.build()), good, faults);
                if (!faults.isEmpty()) {
                    break;
                }
            }
        } else {
            for (String line : kind.setup()) {
                add(
                        "'" + line + "'",
                        () -> user.run(ExecRequest.shell(line)
                                .workingDirectory(directory)
                                .timeLimit(COMMAND)
                                .build()),
                        good,
                        faults);
            }
        }
        Outcome outcome = Outcome.of("steps done", good, faults);
        String detail = kind.purpose() + " in " + directory + ", " + outcome.detail()
                + (notes.isEmpty() ? "" : "; " + String.join("; ", notes));
        return new Outcome(outcome.status(), detail, outcome.error());
    }

    private static void add(String what, Supplier<ExecResult> command, List<String> good, List<String> faults) {
        ExecResult result;
        try {
            result = command.get();
        } catch (ExecException e) {
            // As when a directory that the repository names is not in it.
            faults.add(what + ": " + e.getMessage());
            return;
        }
        if (result.succeeded()) {
            good.add(what);
        } else {
            faults.add(what + ": " + Steps.why(result));
        }
    }
}
