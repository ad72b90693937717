package io.maestro.claude.internal.install;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What there is where the CLI is to run.
 *
 * @param system by {@code uname -s}
 * @param machine by {@code uname -m}
 * @param userId of whoever commands run as
 * @param glibc whether its dynamic loader is there
 * @param musl whether its dynamic loader is there
 * @param onPath the {@code claude} that is found by its name
 */
record Facts(String system, String machine, String userId, boolean glibc, boolean musl, Optional<String> onPath) {
    private static final String SCRIPT = """
            echo "system=$(uname -s)"
            echo "machine=$(uname -m)"
            echo "user=$(id -u)"
            echo "claude=$(command -v claude)"
            for loader in /lib64/ld-linux-*.so.* /lib/ld-linux*.so.* /lib/*/ld-linux-*.so.*; do
                if test -e "$loader"; then echo glibc=yes; fi
            done
            for loader in /lib/ld-musl-*.so.*; do
                if test -e "$loader"; then echo musl=yes; fi
            done
            """;

    static Facts of(Sandbox sandbox, Duration limit) {
        String printed = sandbox.require("looking at what is there", SCRIPT, limit);
        Map<String, String> found = new HashMap<>();
        for (String line : printed.lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                found.put(line.substring(0, equals), line.substring(equals + 1).strip());
            }
        }
        return new Facts(
                found.getOrDefault("system", ""),
                found.getOrDefault("machine", ""),
                found.getOrDefault("user", ""),
                found.containsKey("glibc"),
                found.containsKey("musl"),
                // A relative one would come from a directory that whoever writes the workspace could fill.
                Optional.of(found.getOrDefault("claude", "")).filter(path -> path.startsWith("/")));
    }

    /** What npm calls the platform, for example {@code linux-x64-musl}; with glibc first where both loaders are there. */
    List<String> platforms() {
        String cpu = cpu();
        if (cpu.isEmpty()) {
            return List.of();
        }
        if (system.equals("Darwin")) {
            return List.of("darwin-" + cpu);
        }
        if (!system.equals("Linux")) {
            return List.of();
        }
        if (glibc) {
            return musl ? List.of("linux-" + cpu, "linux-" + cpu + "-musl") : List.of("linux-" + cpu);
        }
        return musl ? List.of("linux-" + cpu + "-musl") : List.of();
    }

    private String cpu() {
        return switch (machine) {
            case "x86_64", "amd64" -> "x64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
    }

    /** For messages. */
    String describe() {
        String libc = glibc ? "glibc" : musl ? "musl" : "neither glibc nor musl";
        return system + " " + machine + ", " + libc + ", user " + userId;
    }
}
