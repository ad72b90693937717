package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an engine says about itself. Immutable.
 *
 * @param version of the engine, not of its client
 * @param podman whether it is podman
 * @param rootless whether its containers' root is an ordinary user of the machine
 * @param cpus processors of its machine; more are refused by docker
 * @param cgroupVersion {@code 1} or {@code 2}; empty when it does not say
 * @param systemd whether systemd makes its control groups
 * @param storage where it keeps everything; empty when that is not on this machine
 * @param memory bytes of its machine; 0 when it does not say
 * @param gpus by what containers can be given GPUs, as far as it says: names of runtimes and of CDI devices
 * @param warnings what it cannot do, for example limits that it ignores
 */
public record EngineFacts(
        String version,
        boolean podman,
        boolean rootless,
        int cpus,
        String cgroupVersion,
        boolean systemd,
        Optional<Path> storage,
        long memory,
        List<String> gpus,
        List<String> warnings) {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})");

    /** Checks nothing; copies the lists. */
    public EngineFacts {
        gpus = List.copyOf(gpus);
        warnings = List.copyOf(warnings);
    }

    /** Whether the engine is at least of a version; false where it does not say in numbers. */
    public boolean atLeast(int major, int minor) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.lookingAt()) {
            return false;
        }
        int first = Integer.parseInt(matcher.group(1));
        return first > major || first == major && Integer.parseInt(matcher.group(2)) >= minor;
    }

    /**
     * Asks the engine.
     *
     * @throws DockerUnavailableException when it does not answer
     */
    public static EngineFacts ask(DockerCli cli) {
        DockerHost host = cli.host();
        ExecResult result = cli.run("info", "--format", host.isPodman() ? "json" : "{{json .}}");
        if (!result.succeeded()) {
            throw new DockerUnavailableException(
                    "the engine of " + host.name() + " does not say what it is: "
                            + result.stderr().text().strip(),
                    null);
        }
        JsonNode info = Json.parse(result.stdout().text());
        return host.isPodman() ? ofPodman(info) : ofDocker(info);
    }

    private static EngineFacts ofDocker(JsonNode info) {
        boolean rootless = false;
        for (JsonNode option : info.path("SecurityOptions")) {
            rootless |= option.asText().contains("rootless");
        }
        List<String> warnings = new ArrayList<>();
        info.path("Warnings").forEach(warning -> warnings.add(warning.asText()));
        return new EngineFacts(
                info.path("ServerVersion").asText(),
                false,
                rootless,
                Math.max(1, info.path("NCPU").asInt(1)),
                info.path("CgroupVersion").asText(),
                info.path("CgroupDriver").asText().equals("systemd"),
                storage(info.path("Name").asText(), info.path("DockerRootDir").asText()),
                info.path("MemTotal").asLong(),
                gpus(info),
                warnings);
    }

    private static EngineFacts ofPodman(JsonNode info) {
        JsonNode machine = info.path("host");
        boolean rootless = machine.path("security").path("rootless").asBoolean();
        String cgroups = machine.path("cgroupVersion").asText().replace("v", "");
        List<String> warnings = rootless && cgroups.equals("1")
                ? List.of("a rootless podman on cgroups 1 ignores the limits of its containers")
                : List.of();
        return new EngineFacts(
                info.path("version").path("Version").asText(),
                true,
                rootless,
                Math.max(1, machine.path("cpus").asInt(1)),
                cgroups,
                machine.path("cgroupManager").asText().equals("systemd"),
                storage(
                        machine.path("hostname").asText(),
                        info.path("store").path("graphRoot").asText()),
                machine.path("memTotal").asLong(),
                List.of(),
                warnings);
    }

    private static List<String> gpus(JsonNode info) {
        List<String> gpus = new ArrayList<>();
        info.path("Runtimes").fieldNames().forEachRemaining(name -> {
            if (name.contains("nvidia")) {
                gpus.add("the runtime " + name);
            }
        });
        info.path("DiscoveredDevices")
                .forEach(device -> gpus.add(device.path("ID").asText()));
        return gpus;
    }

    /** A virtual machine and one elsewhere have names of their own. */
    private static Optional<Path> storage(String machine, String directory) {
        try {
            Path path = Path.of(directory);
            boolean isHere = !machine.isEmpty()
                    && Files.exists(HOST_NAME)
                    && Files.readString(HOST_NAME).strip().equals(machine);
            return isHere && path.isAbsolute() && Files.isDirectory(path) ? Optional.of(path) : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
