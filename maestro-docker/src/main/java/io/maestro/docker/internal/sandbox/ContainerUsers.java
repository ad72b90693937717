package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerExecutor;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.sandbox.Provisioner.Who;
import io.maestro.docker.internal.sandbox.Steps.Outcome;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes the user of a container's commands known in it. */
final class ContainerUsers {
    /**
     * Needs no useradd. What is mounted, and what was there before, keeps its owners; of the ways to caches only the directories
     * are given away that were made for them.
     */
    private static final String ADD = """
            uid=${1%:*}; gid=${1#*:}; home=$2; work=$3; mounted=$4
            shift 4
            if [ "$uid" != 0 ]; then
                grep -q "^[^:]*:[^:]*:$gid:" /etc/group || echo "maestro:x:$gid:" >> /etc/group || exit
                grep -q "^[^:]*:[^:]*:$uid:" /etc/passwd \
                    || echo "maestro:x:$uid:$gid::$home:/bin/sh" >> /etc/passwd || exit
            fi
            mkdir -p "$home" && chown -h "$uid:$gid" "$home" || exit
            if [ ! -d "$work" ] || [ "$work" = /workspace ] && [ "$mounted" = no ]; then
                mkdir -p "$work" && chown -h "$uid:$gid" "$work" || exit
            fi
            for cache in "$@"; do
                parent=${cache%/*}
                while [ "$parent" != "$home" ] && [ "${parent#"$home"/}" != "$parent" ]; do
                    chown -h "$uid:$gid" "$parent" || exit
                    parent=${parent%/*}
                done
            done
            """;

    private ContainerUsers() {}

    static Outcome add(DockerExecutor root, Who who, String directory, List<String> caches, List<Mount> mounts) {
        Path work = Path.of(directory).normalize();
        boolean mounted = mounts.stream()
                .anyMatch(mount -> work.startsWith(Path.of(mount.target()).normalize()));
        List<String> words = new ArrayList<>(
                List.of("sh", "-c", ADD, "sh", who.user(), who.home(), directory, mounted ? "yes" : "no"));
        words.addAll(caches);
        ExecResult result = root.run(ExecRequest.command(words).build());
        return result.succeeded()
                ? Outcome.success("commands run as " + who.user() + " with the home directory " + who.home())
                : Outcome.failed("commands cannot run as " + who.user(), Steps.why(result));
    }
}
