package io.maestro.docker.internal.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What a repository is built with, by the names of the files at its root, and how it could be set up. Immutable.
 *
 * <p>The commands are fixed texts into which nothing of the repository gets. They run the repository's own build, and download:
 * they are for a throwaway container, and a person or a model decides whether they run.
 *
 * @param purpose {@code rust}, {@code java}, {@code python}, {@code node}, {@code go} or {@code general}
 * @param setup shell lines to run in order in the directory of the repository; may be empty
 * @param notes what is there and is not run, for a person or a model
 */
public record RepositoryKind(String purpose, List<String> setup, List<String> notes) {
    private static final String GENERAL = "general";
    private static final int MOST_CHARACTERS = 64 * 1024;

    /** The first one that is there decides. A program in Rust with a page in JavaScript is one in Rust. */
    private static final List<Map.Entry<String, String>> MARKERS = List.of(
            Map.entry("Cargo.toml", "rust"),
            Map.entry("pom.xml", "java"),
            Map.entry("build.gradle", "java"),
            Map.entry("build.gradle.kts", "java"),
            Map.entry("settings.gradle", "java"),
            Map.entry("settings.gradle.kts", "java"),
            Map.entry("pyproject.toml", "python"),
            Map.entry("setup.py", "python"),
            Map.entry("requirements.txt", "python"),
            Map.entry("package.json", "node"),
            Map.entry("go.mod", "go"));

    /** Copies the lists. */
    public RepositoryKind {
        setup = List.copyOf(setup);
        notes = List.copyOf(notes);
    }

    /**
     * Looks at a repository.
     *
     * @param names of the files at its root; upper and lower case matter
     * @param texts the text of one of these files; empty when it cannot be read. Only {@code pyproject.toml} is asked for; one
     *     of more than 65,536 characters is treated as if it could not be read
     * @return what it is
     */
    public static RepositoryKind of(Set<String> names, Function<String, Optional<String>> texts) {
        String purpose = MARKERS.stream()
                .filter(marker -> names.contains(marker.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(GENERAL);
        List<String> setup = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        switch (purpose) {
            case "rust" -> setup.add("cargo build");
            case "java" -> setup.add(java(names));
            case "python" -> python(names, texts, setup, notes);
            case "node" -> setup.add(node(names));
            case "go" -> setup.add("go mod download");
            default -> {
                // Nothing is known of it.
            }
        }
        MARKERS.stream()
                .filter(marker ->
                        names.contains(marker.getKey()) && !marker.getValue().equals(purpose))
                .forEach(marker -> notes.add(
                        marker.getKey() + " (" + marker.getValue() + ") is there, too; nothing is set up for it"));
        if (names.contains("Makefile") || names.contains("makefile") || names.contains("GNUmakefile")) {
            notes.add("a makefile is there; `make` is not run");
        }
        return new RepositoryKind(purpose, setup, notes);
    }

    private static String java(Set<String> names) {
        if (names.contains("pom.xml")) {
            return (names.contains("mvnw") ? "./mvnw" : "mvn") + " -B -q -DskipTests package";
        }
        return (names.contains("gradlew") ? "./gradlew" : "gradle") + " assemble";
    }

    private static String node(Set<String> names) {
        if (names.contains("package-lock.json")) {
            return "npm ci";
        }
        if (names.contains("yarn.lock")) {
            return "yarn install --frozen-lockfile";
        }
        return names.contains("pnpm-lock.yaml") ? "pnpm install --frozen-lockfile" : "npm install";
    }

    /** In one call, so that pip finds versions that fit all; in a venv, because Debian's Python takes no packages (PEP 668). */
    private static void python(
            Set<String> names, Function<String, Optional<String>> texts, List<String> setup, List<String> notes) {
        List<String> what = new ArrayList<>();
        if (names.contains("requirements.txt")) {
            what.add("-r requirements.txt");
        }
        Optional<Set<List<String>>> keys = Optional.of("pyproject.toml")
                .filter(names::contains)
                .flatMap(texts)
                .filter(text -> text.length() <= MOST_CHARACTERS)
                .map(TomlKeys::of);
        boolean isOnlySettings = keys.isPresent() && keys.get().stream().noneMatch(RepositoryKind::isOfPackage);
        if (names.contains("setup.py") || names.contains("pyproject.toml") && !isOnlySettings) {
            what.add(keys.filter(RepositoryKind::hasExtraDev).isPresent() ? "-e \".[dev]\"" : "-e .");
        } else if (isOnlySettings) {
            notes.add("pyproject.toml holds settings of tools and describes no package; it is not installed");
        }
        if (!what.isEmpty()) {
            setup.add("python3 -m venv .venv && .venv/bin/pip install " + String.join(" ", what));
        }
    }

    private static boolean isOfPackage(List<String> key) {
        return key.get(0).equals("project")
                || key.get(0).equals("build-system")
                || key.size() > 1 && key.get(0).equals("tool") && key.get(1).equals("poetry");
    }

    private static boolean hasExtraDev(Set<List<String>> keys) {
        return keys.contains(List.of("project", "optional-dependencies", "dev"))
                || keys.contains(List.of("tool", "poetry", "extras", "dev"));
    }
}
