package io.maestro.docker.internal.sandbox.devcontainer;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which members of a {@code devcontainer.json} are not followed, and why. */
final class DevContainerRefusals {
    private static final String COMPOSE = "belongs to compose; give the compose file as compose_file";
    private static final String RIGHTS = "would give the container rights on the machine";

    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("initializeCommand", "would run on the host; use onCreateCommand, which runs in the container"),
            Map.entry(
                    "mounts",
                    "would mount what is outside of the sandbox; neither directories nor volumes are mounted"),
            Map.entry("workspaceMount", "would mount a directory of the host; the repository is there without it"),
            Map.entry("privileged", RIGHTS),
            Map.entry("capAdd", RIGHTS),
            Map.entry("securityOpt", RIGHTS),
            Map.entry("runArgs", "is a list of the engine's own options, which can give the machine away"),
            Map.entry("dockerComposeFile", COMPOSE),
            Map.entry("service", COMPOSE),
            Map.entry("runServices", COMPOSE),
            Map.entry("appPort", "would take a port of the host; use forwardPorts"),
            Map.entry("postAttachCommand", "is for editors, and none attaches; use postStartCommand"),
            Map.entry("hostRequirements", "is not followed; the limits are set where the sandbox is opened"),
            Map.entry("overrideFeatureInstallOrder", "is not followed; write the features in the order that is meant"),
            Map.entry("secrets", "is not followed; no secret is handed over because a repository asks for it"));

    /** For editors, or true of every sandbox. */
    private static final Set<String> IGNORED = Set.of(
            "$schema",
            "name",
            "customizations",
            "extensions",
            "settings",
            "devPort",
            "portsAttributes",
            "otherPortsAttributes",
            "shutdownAction",
            "waitFor",
            "userEnvProbe",
            "updateRemoteUserUID",
            "init");

    private static final Set<String> FOLLOWED = Set.of(
            "image",
            "build",
            "dockerFile",
            "context",
            "features",
            "containerEnv",
            "remoteEnv",
            "containerUser",
            "remoteUser",
            "workspaceFolder",
            "forwardPorts",
            "onCreateCommand",
            "updateContentCommand",
            "postCreateCommand",
            "postStartCommand");

    private DevContainerRefusals() {}

    /**
     * Why a member is not followed.
     *
     * @param name of a member of the root
     * @return empty when it is followed, or ignored
     */
    static Optional<String> reason(String name) {
        return FOLLOWED.contains(name) || IGNORED.contains(name)
                ? Optional.empty()
                : Optional.of(REFUSED.getOrDefault(name, "is not known"));
    }
}
