package io.maestro.claude.internal.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A binary of the host that fits the sandbox.
 *
 * @param file it, without symbolic links
 */
public record HostBinary(Path file) {
    private static final Logger LOG = LoggerFactory.getLogger(HostBinary.class);
    private static final List<String> PLATFORMS =
            List.of("linux-x64", "linux-x64-musl", "linux-arm64", "linux-arm64-musl");

    /** How to get the package for another platform than the host's. */
    private static final String OTHER_PLATFORM = "npm install --force --prefix DIRECTORY ";

    /** Finds it: the file itself, or the one for the sandbox's platform in a directory of npm. */
    static HostBinary find(Path given, Facts facts) {
        try {
            if (!Files.exists(given)) {
                throw new StepFailure(given + " is not there on the host; correct the path");
            }
            Path real = given.toRealPath();
            if (!Files.isDirectory(real)) {
                return fitting(real, facts)
                        .orElseThrow(() -> new StepFailure(given + " does not fit: " + mismatch(real, facts)));
            }
            for (Path candidate : candidates(real, facts.platforms())) {
                if (Files.isRegularFile(candidate)) {
                    Optional<HostBinary> found = fitting(candidate.toRealPath(), facts);
                    if (found.isPresent()) {
                        return found.get();
                    }
                }
            }
            throw new StepFailure(
                    "nothing in " + given + " fits the sandbox (" + facts.describe() + ")" + advice(facts));
        } catch (IOException e) {
            throw new StepFailure(given + " cannot be read on the host: " + e);
        }
    }

    /**
     * The files that may be needed in a sandbox of which nothing is known yet.
     *
     * @param given a binary, or a directory of npm, on the host
     * @return by names of their own, without symbolic links; empty when there is none
     */
    public static Map<String, Path> all(Path given) {
        Map<String, Path> found = new LinkedHashMap<>();
        try {
            Path real = given.toRealPath();
            List<Path> files = Files.isDirectory(real) ? candidates(real, PLATFORMS) : List.of(real);
            for (Path file : files) {
                if (Files.isRegularFile(file) && !found.containsValue(file.toRealPath())) {
                    found.put("claude-" + (found.size() + 1), file.toRealPath());
                }
            }
        } catch (IOException e) {
            LOG.warn("{} cannot be read: {}", given, e.toString());
        }
        return found;
    }

    /** Under which name a file is among {@link #all}. */
    static String name(Path given, Path file) {
        return all(given).entrySet().stream()
                .filter(entry -> entry.getValue().equals(file))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new StepFailure(file + " was not there when the sandbox was made"));
    }

    private static List<Path> candidates(Path directory, List<String> platforms) {
        List<Path> candidates = new ArrayList<>();
        for (String platform : platforms) {
            String name = NativePackage.directoryName(platform);
            List<Path> parents = new ArrayList<>(List.of(
                    directory, directory.resolve("@anthropic-ai"), directory.resolve("node_modules/@anthropic-ai")));
            if (directory.getParent() != null) {
                parents.add(directory.getParent());
            }
            parents.forEach(parent -> candidates.add(parent.resolve(name).resolve("claude")));
            if (name.equals(String.valueOf(directory.getFileName()))) {
                candidates.add(directory.resolve("claude"));
            }
        }
        // What npm has put in the place of the wrapper: for the host's own platform.
        candidates.add(directory.resolve("bin/claude.exe"));
        candidates.add(directory.resolve("@anthropic-ai/claude-code/bin/claude.exe"));
        candidates.add(directory.resolve("node_modules/@anthropic-ai/claude-code/bin/claude.exe"));
        return candidates;
    }

    private static Optional<HostBinary> fitting(Path file, Facts facts) {
        if (!mismatch(file, facts).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new HostBinary(file));
    }

    /** Empty when it fits, as far as can be told from here: other loaders than these two are looked for in the sandbox. */
    private static String mismatch(Path file, Facts facts) {
        if (!facts.system().equals("Linux")) {
            return "";
        }
        Executable needs;
        try {
            needs = Executable.read(file);
        } catch (IOException e) {
            return "it cannot be read: " + e;
        }
        String machine = facts.machine().replace("amd64", "x86_64").replace("arm64", "aarch64");
        if (needs.machine().isPresent() && !needs.machine().get().equals(machine)) {
            return "it is for " + needs.machine().get() + ", and the sandbox is " + facts.machine() + advice(facts);
        }
        String loader = needs.interpreter().orElse("");
        boolean glibcNeeded = loader.contains("/ld-linux");
        boolean muslNeeded = loader.contains("/ld-musl");
        if (glibcNeeded && !facts.glibc() || muslNeeded && !facts.musl()) {
            return "it needs " + (glibcNeeded ? "glibc" : "musl") + " (" + loader + "), and the sandbox has "
                    + (facts.musl() ? "musl" : facts.glibc() ? "glibc" : "neither glibc nor musl")
                    + advice(facts);
        }
        return "";
    }

    private static String advice(Facts facts) {
        if (facts.platforms().isEmpty()) {
            return "; there is no Claude Code for this platform: use an image with glibc or musl on x86_64 or aarch64";
        }
        return "; get the right one on the host with: " + OTHER_PLATFORM
                + NativePackage.name(facts.platforms().get(0)) + "@" + ClaudeVersion.NEWEST_TESTED
                + " and name DIRECTORY/node_modules";
    }
}
