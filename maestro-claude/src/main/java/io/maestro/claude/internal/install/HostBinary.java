package io.maestro.claude.internal.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A binary of the host that fits the sandbox.
 *
 * @param file it, without symbolic links
 * @param size in bytes
 * @param mark the same as long as the file is
 */
record HostBinary(Path file, long size, String mark) {
    /** How to get the package for another platform than the host's. */
    private static final String OTHER_PLATFORM = "npm install --force --prefix DIRECTORY ";

    /** Finds it: the file itself, or the one for the sandbox's platform in a directory of npm. */
    static HostBinary find(Path given, Facts facts, ClaudeVersion wanted) {
        try {
            if (!Files.exists(given)) {
                throw new StepFailure(given + " is not there on the host; correct the path");
            }
            Path real = given.toRealPath();
            if (!Files.isDirectory(real)) {
                return fitting(real, facts, wanted)
                        .orElseThrow(() -> new StepFailure(given + " does not fit: " + mismatch(real, facts, wanted)));
            }
            for (Path candidate : candidates(real, facts)) {
                if (Files.isRegularFile(candidate)) {
                    Optional<HostBinary> found = fitting(candidate.toRealPath(), facts, wanted);
                    if (found.isPresent()) {
                        return found.get();
                    }
                }
            }
            throw new StepFailure(
                    "nothing in " + given + " fits the sandbox (" + facts.describe() + ")" + advice(facts, wanted));
        } catch (IOException e) {
            throw new StepFailure(given + " cannot be read on the host: " + e);
        }
    }

    private static List<Path> candidates(Path directory, Facts facts) {
        List<Path> candidates = new ArrayList<>();
        for (String platform : facts.platforms()) {
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

    private static Optional<HostBinary> fitting(Path file, Facts facts, ClaudeVersion wanted) throws IOException {
        if (!mismatch(file, facts, wanted).isEmpty()) {
            return Optional.empty();
        }
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        String mark = attributes.size() + " " + attributes.lastModifiedTime() + " " + file;
        return Optional.of(new HostBinary(file, attributes.size(), mark));
    }

    /** Empty when it fits, as far as can be told from here: other loaders than these two are looked for in the sandbox. */
    private static String mismatch(Path file, Facts facts, ClaudeVersion wanted) {
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
            return "it is for " + needs.machine().get() + ", and the sandbox is " + facts.machine()
                    + advice(facts, wanted);
        }
        String loader = needs.interpreter().orElse("");
        boolean glibcNeeded = loader.contains("/ld-linux");
        boolean muslNeeded = loader.contains("/ld-musl");
        if (glibcNeeded && !facts.glibc() || muslNeeded && !facts.musl()) {
            return "it needs " + (glibcNeeded ? "glibc" : "musl") + " (" + loader + "), and the sandbox has "
                    + (facts.musl() ? "musl" : facts.glibc() ? "glibc" : "neither glibc nor musl")
                    + advice(facts, wanted);
        }
        return "";
    }

    private static String advice(Facts facts, ClaudeVersion wanted) {
        if (facts.platforms().isEmpty()) {
            return "; there is no Claude Code for this platform: use an image with glibc or musl on x86_64 or aarch64";
        }
        return "; get the right one on the host with: " + OTHER_PLATFORM
                + NativePackage.name(facts.platforms().get(0)) + "@" + wanted + " and name DIRECTORY/node_modules";
    }
}
