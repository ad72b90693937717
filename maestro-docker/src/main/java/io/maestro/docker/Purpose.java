package io.maestro.docker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a container is made for: an image, and what is installed over it once. A host adds its own to
 * {@link ContainerRules.Builder#purpose} as data, or replaces one of the {@link #STANDARD standard} ones by its name.
 * Immutable.
 *
 * @param name lower-case letters, digits and dashes, at most 31 of them
 * @param image the base when a request names none; a name of an image
 * @param setUp lines for the shell, run as root while the image is built, so that what they install is there the next time. No
 *     secrets: whoever has the image can read them
 * @param caches directories below the home directory of the container's user that outlive the container, by the cache's name,
 *     for example {@code .cache/pip} by {@code pip}
 * @param trusted whether variables and identity of the host are handed over unless a request says otherwise; false for what runs
 *     strangers' code
 */
public record Purpose(String name, String image, List<String> setUp, Map<String, String> caches, boolean trusted) {
    /** Where a repository of unknown contents is tried. */
    public static final String TRY_REPO = "try-repo";

    private static final String GIT =
            install("git", "git ca-certificates", "git ca-certificates", "git ca-certificates");

    /**
     * What is there without a host's doing: {@code python}, {@code node}, {@code rust}, {@code go}, {@code java},
     * {@code general}, {@code clean} and {@code try-repo}. Their programs are installed only where the image has none, by apt-get,
     * apk or dnf; {@code clean} installs nothing.
     */
    public static final List<Purpose> STANDARD = List.of(
            of("python", "python:3.12-slim")
                    .with(install(
                            "python3", "python3 python3-venv python3-pip", "python3 py3-pip", "python3 python3-pip"))
                    .with(GIT)
                    .caching("pip", ".cache/pip"),
            of("node", "node:22-slim")
                    .with(install("npm", "nodejs npm", "nodejs npm", "nodejs npm"))
                    .with(GIT)
                    .caching("npm", ".npm"),
            of("rust", "rust:1-slim")
                    .with(install("cargo", "cargo rustc gcc libc6-dev", "cargo rust gcc musl-dev", "cargo rust gcc"))
                    .with(GIT)
                    .caching("cargo", ".cargo/registry"),
            of("go", "golang:1")
                    .with(install("go", "golang-go", "go", "golang"))
                    .with(GIT)
                    .caching("go", "go/pkg/mod"),
            of("java", "maven:3-eclipse-temurin-21")
                    .with(install(
                            "javac mvn",
                            "default-jdk-headless maven",
                            "openjdk21-jdk maven",
                            "java-latest-openjdk-devel maven"))
                    .with(GIT)
                    .caching("maven", ".m2")
                    .caching("gradle", ".gradle"),
            of("general", ContainerRules.IMAGE)
                    .with(install(
                            "git curl make gcc jq",
                            "git ca-certificates curl make gcc libc6-dev jq procps",
                            "git ca-certificates curl make gcc musl-dev jq procps",
                            "git ca-certificates curl make gcc glibc-devel jq procps-ng")),
            of("clean", ContainerRules.IMAGE).untrusted(),
            of(TRY_REPO, ContainerRules.IMAGE).with(GIT).untrusted());

    /**
     * Checks and copies.
     *
     * @param name its name
     * @param image the base
     * @param setUp what is installed
     * @param caches what is kept
     * @param trusted whether it gets what the host has
     * @throws IllegalArgumentException when the name or the image is none, or a cache leaves the home directory
     */
    public Purpose {
        if (!name.matches("[a-z][a-z0-9-]{0,30}")) {
            throw new IllegalArgumentException(
                    "a purpose has lower-case letters, digits and dashes, is '" + name + "'");
        }
        if (!ContainerSpec.isImageName(image)) {
            throw new IllegalArgumentException("'" + image + "' is no image for the purpose " + name);
        }
        setUp = List.copyOf(setUp);
        caches = Map.copyOf(caches);
        caches.forEach((cache, path) -> {
            if (!cache.matches("[a-z][a-z0-9-]{0,30}")
                    || !path.matches("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
                    || List.of(path.split("/")).contains("..")) {
                throw new IllegalArgumentException("the cache '" + cache + "' of the purpose " + name
                        + " needs a name of lower-case letters and a path below the home directory, not '" + path
                        + "'");
            }
        });
    }

    /**
     * A trusted purpose that installs and keeps nothing.
     *
     * @param name its name
     * @param image the base
     * @return a purpose; see {@link #with}, {@link #caching} and {@link #untrusted}
     * @throws IllegalArgumentException when the name or the image is none
     */
    public static Purpose of(String name, String image) {
        return new Purpose(name, image, List.of(), Map.of(), true);
    }

    /**
     * One of the {@link #STANDARD} ones.
     *
     * @param name for example {@code python}
     * @return empty when there is none of that name
     */
    public static Optional<Purpose> standard(String name) {
        return STANDARD.stream().filter(purpose -> purpose.name().equals(name)).findFirst();
    }

    /**
     * The same with another line of what is installed.
     *
     * @param line for the shell, run as root while the image is built; no secrets
     * @return a purpose
     */
    public Purpose with(String line) {
        List<String> lines = new ArrayList<>(setUp);
        lines.add(Objects.requireNonNull(line, "line"));
        return new Purpose(name, image, lines, caches, trusted);
    }

    /**
     * The same with another directory that outlives containers.
     *
     * @param cache the cache's name; purposes that name the same share it
     * @param path below the home directory
     * @return a purpose
     * @throws IllegalArgumentException when it is not below the home directory
     */
    public Purpose caching(String cache, String path) {
        Map<String, String> all = new LinkedHashMap<>(caches);
        all.put(cache, path);
        return new Purpose(name, image, setUp, all, trusted);
    }

    /**
     * The same, but nothing of the host is handed over unless a request names it.
     *
     * @return a purpose
     */
    public Purpose untrusted() {
        return new Purpose(name, image, setUp, caches, false);
    }

    /** A line that installs packages where one of some programs is missing. */
    private static String install(String programs, String apt, String apk, String dnf) {
        return "for program in " + programs
                + "; do command -v $program >/dev/null 2>&1 || missing=\"$missing $program\"; done; "
                + "if [ -z \"$missing\" ]; then exit 0; "
                + "elif command -v apt-get >/dev/null 2>&1; then export DEBIAN_FRONTEND=noninteractive; apt-get -q update"
                + " && apt-get -q install --yes --no-install-recommends " + apt
                + " && apt-get clean && rm -rf /var/lib/apt/lists/*; "
                + "elif command -v apk >/dev/null 2>&1; then apk add --no-cache " + apk + "; "
                + "elif command -v dnf >/dev/null 2>&1; then dnf --assumeyes --setopt=install_weak_deps=False install "
                + dnf
                + " && dnf clean all; "
                + "else echo \"the image has neither apt-get nor apk or dnf, and lacks:$missing\" >&2; exit 1; fi";
    }
}
