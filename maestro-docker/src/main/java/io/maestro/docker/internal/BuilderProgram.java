package io.maestro.docker.internal;

import io.maestro.exec.ExecResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The builders that a client has, as commands. Safe for use by several threads. */
final class BuilderProgram {
    /** Which of them. */
    enum Way {
        /** BuildKit in the engine. */
        BUILDKIT,
        /** The engine's older one, which knows neither mounts nor heredocs. */
        CLASSIC,
        PODMAN,
        /** Any that there is. */
        UNLIMITED
    }

    /** From here on BuildKit in docker puts commands into the control group that is named, and knows heredocs. */
    private static final int DOCKER_WITH_GROUPS = 23;

    /** 24.0.9 and 25.0.2 were mended, too; a version is told by two numbers here. */
    private static final int DOCKER_WITH_SAFE_MOUNTS = 26;

    private static final List<String> CLASSIC = List.of("build", "--force-rm");

    private final DockerCli cli;
    private final AtomicReference<@Nullable List<String>> buildkit = new AtomicReference<>();

    BuilderProgram(DockerCli cli) {
        this.cli = cli;
    }

    /** Those that may hold limits, the best first. */
    static List<Way> ways(Engine engine) {
        if (engine.facts().podman()) {
            return List.of(Way.PODMAN);
        }
        List<Way> ways = new ArrayList<>();
        if (engine.facts().atLeast(DOCKER_WITH_GROUPS, 0)
                && engine.builder().program().hasBuildkit()) {
            ways.add(Way.BUILDKIT);
        }
        ways.add(Way.CLASSIC);
        return ways;
    }

    /** What a Dockerfile may use there. */
    static ConfinedDockerfile.Abilities abilities(Way way, EngineFacts facts) {
        return switch (way) {
            case CLASSIC -> new ConfinedDockerfile.Abilities(false, false);
            // Older ones let a mount reach files of the machine (CVE-2024-23651 and -23652 in docker).
            case PODMAN -> new ConfinedDockerfile.Abilities(facts.atLeast(5, 0), facts.atLeast(5, 3));
            case BUILDKIT, UNLIMITED ->
                facts.podman()
                        ? abilities(Way.PODMAN, facts)
                        : new ConfinedDockerfile.Abilities(
                                facts.atLeast(DOCKER_WITH_GROUPS, 0), facts.atLeast(DOCKER_WITH_SAFE_MOUNTS, 0));
        };
    }

    /** The beginning of a command. */
    List<String> words(Way way) {
        return way == Way.CLASSIC || way == Way.PODMAN ? CLASSIC : any();
    }

    /** What the client's environment says beside. */
    static Map<String, String> environment(Way way) {
        return way == Way.CLASSIC ? Map.of("DOCKER_BUILDKIT", "0") : Map.of();
    }

    boolean hasBuildkit() {
        return any().contains("buildx");
    }

    private List<String> any() {
        List<String> known = buildkit.get();
        if (known == null) {
            known = find();
            buildkit.set(known);
        }
        return known;
    }

    private List<String> find() {
        if (cli.host().isPodman() || !cli.run("buildx", "version").succeeded()) {
            return CLASSIC;
        }
        // The user may have chosen a builder that keeps its images to itself; the engine's own is called as its
        // context.
        ExecResult context = cli.run("context", "show");
        String builder = context.succeeded() ? context.stdout().text().strip() : "default";
        return List.of("buildx", "build", "--builder", builder, "--load", "--progress", "plain");
    }
}
