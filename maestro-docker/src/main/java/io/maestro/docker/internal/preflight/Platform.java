package io.maestro.docker.internal.preflight;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** A kind of machine, by what its user types to install and start an engine. */
public enum Platform {
    /** Debian, Ubuntu and what is made of them. */
    DEBIAN("sudo apt-get install %s"),
    /** Fedora, RHEL, CentOS. */
    FEDORA("sudo dnf install %s"),
    /** Arch and what is made of it. */
    ARCH("sudo pacman -S %s"),
    /** macOS. */
    MACOS("brew install %s"),
    /** Linux in Windows. */
    WSL("sudo apt-get install %s"),
    /** Another one. */
    OTHER("install the package %s");

    private final String install;

    Platform(String install) {
        this.install = install;
    }

    /** That of this machine. */
    public static Platform here() {
        return of(
                System.getProperty("os.name", ""),
                read(Path.of("/etc/os-release")),
                read(Path.of("/proc/sys/kernel/osrelease")));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Finds it.
     *
     * @param system the JVM's name of the system
     * @param release the content of {@code /etc/os-release}; empty where there is none
     * @param kernel the kernel's version
     */
    static Platform of(String system, String release, String kernel) {
        if (system.toLowerCase(Locale.ROOT).startsWith("mac")) {
            return MACOS;
        }
        if (kernel.toLowerCase(Locale.ROOT).contains("microsoft")) {
            return WSL;
        }
        Set<String> ids = new HashSet<>();
        release.lines()
                .filter(line -> line.startsWith("ID=") || line.startsWith("ID_LIKE="))
                .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                .forEach(names -> ids.addAll(Arrays.asList(names.split(" ", -1))));
        return ids.contains("debian") || ids.contains("ubuntu")
                ? DEBIAN
                : ids.contains("fedora") || ids.contains("rhel") ? FEDORA : ids.contains("arch") ? ARCH : OTHER;
    }

    String installEngine(boolean podman) {
        return switch (this) {
            case MACOS ->
                podman
                        ? "brew install podman && podman machine init"
                        : "install Docker Desktop, or: brew install colima docker";
            case WSL ->
                podman
                        ? install.formatted("podman")
                        : "install Docker Desktop and switch on its integration with this"
                                + " distribution, or: sudo apt-get install docker.io";
            case FEDORA -> install.formatted(podman ? "podman" : "moby-engine docker-cli");
            case ARCH -> install.formatted(podman ? "podman" : "docker");
            case DEBIAN, OTHER -> install.formatted(podman ? "podman" : "docker.io");
        };
    }

    String startEngine(boolean podman) {
        return switch (this) {
            case MACOS -> podman ? "podman machine start" : "start Docker Desktop, or: colima start";
            case WSL -> podman ? "podman system service" : "start Docker Desktop, or: sudo service docker start";
            case DEBIAN, FEDORA, ARCH, OTHER ->
                podman ? "systemctl --user start podman.socket" : "sudo systemctl start docker";
        };
    }

    String installPodmanCompose() {
        return install.formatted("podman-compose");
    }

    String installPlugin(String plugin) {
        return switch (this) {
            case MACOS -> install.formatted("docker-" + plugin);
            case ARCH -> install.formatted("docker-" + plugin);
            case DEBIAN, WSL, FEDORA, OTHER ->
                install.formatted("docker-" + plugin + "-plugin") + " (in some releases docker-" + plugin + ")";
        };
    }
}
