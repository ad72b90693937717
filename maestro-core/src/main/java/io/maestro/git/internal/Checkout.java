package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;

/**
 * Makes a workspace: a clone of the mirror that needs nothing outside itself. Git works in a directory that no agent can
 * reach, and only then is the result moved into the workspace; so git never runs where an agent might still be running.
 */
final class Checkout {
    /** Filters are not run, and files are checked out as they are in the repository; line ends may be converted. */
    private static final String ATTRIBUTES = "* -filter -ident !working-tree-encoding\n";

    /** A process for each processor writes files, where there are many. */
    private static final String WORKERS = "checkout.workers=0";

    private final Path projectDirectory;
    private final Mirror mirror;
    private final GitOptions options;
    private final SparseDirectories sparse;
    private final KeptPacks keptPacks;

    Checkout(Path projectDirectory, Mirror mirror, GitOptions options, SparseDirectories sparse) {
        this.projectDirectory = projectDirectory;
        this.mirror = mirror;
        this.options = options;
        this.sparse = sparse;
        this.keptPacks = new KeptPacks(mirror);
    }

    record CheckedOut(String branch, ObjectId base) {}

    /** What a clone has, and whether its packs were copied, but for what is new. */
    private record Cloned(KeptPacks.Contents contents, boolean copied) {}

    /** Where files for an agent's workspace are made, on the same file system. */
    static Path staging(Path projectDirectory, String agentId) {
        return staging(projectDirectory).resolve(agentId);
    }

    static Path staging(Path projectDirectory) {
        return projectDirectory.resolve(".maestro").resolve("git");
    }

    CheckedOut make(String agentId, String storyId, int attempt, String targetBranch) throws IOException {
        return staged(projectDirectory.resolve(agentId), agentId, (staging, clone) -> {
            // First: a ref keeps the base in the mirror from here on.
            CheckedOut reserved = mirror.locked(() -> {
                ObjectId base = mirror.tip(targetBranch);
                return new CheckedOut(StoryBranches.reserve(mirror, storyId, attempt, base), base);
            });
            Cloned made = mirror.used(() -> clone(staging, clone, targetBranch, reserved.base()));
            keptPacks.keep(packs(clone), made.contents(), made.copied());
            checkOut(staging, clone, agentId, reserved.branch(), sparse, reserved.base());
            return reserved;
        });
    }

    /** A clone with the files of a commit that a workspace has, in a directory that is made for it. */
    void makeIn(Path directory, String agentId, Workspace.Place place, ObjectId base) throws IOException {
        staged(directory, agentId, (staging, clone) -> {
            Cloned unused = mirror.used(() -> clone(staging, clone, place.targetBranch(), base));
            checkOut(staging, clone, agentId, place.branch(), place.sparse(), base);
            return clone;
        });
    }

    private void checkOut(
            Path staging, Path clone, String agentId, String branch, SparseDirectories chosen, ObjectId base)
            throws IOException {
        configure(clone, Committer.of(agentId, options).who());
        chosen.set(mirror, staging, clone);
        git(clone, "-c", WORKERS, "checkout", "--quiet", "--force", "--no-track", "-B", branch, base.name());
    }

    /** Only the files of a branch, for somebody who reads them: no branch of a story, and no repository. Returns their commit. */
    ObjectId files(String agentId, String targetBranch) throws IOException {
        return staged(
                projectDirectory.resolve(agentId),
                agentId,
                (staging, clone) -> mirror.used(() -> {
                    ObjectId tip = mirror.tip(targetBranch);
                    // Nobody can reach the objects, and they are gone before anybody can reach the files.
                    git(
                            staging,
                            "clone",
                            "--quiet",
                            "--shared",
                            "--single-branch",
                            "--no-tags",
                            "--no-checkout",
                            "--template=",
                            "--branch=" + targetBranch,
                            "--",
                            mirror.directory().toString(),
                            clone.toString());
                    attributes(clone);
                    sparse.set(mirror, staging, clone);
                    git(clone, "-c", WORKERS, "checkout", "--quiet", "--force", "--detach", tip.name());
                    SafeDirectory.deleteTree(clone.resolve(".git"));
                    return tip;
                }));
    }

    private interface Staged<T> {
        T make(Path staging, Path clone) throws IOException;
    }

    /** Makes a clone in the staging directory, and moves what came of it into another. */
    private <T> T staged(Path directory, String agentId, Staged<T> work) throws IOException {
        PrivateFiles.makeOwn(directory);
        Path staging = staging(projectDirectory, agentId);
        SafeDirectory.deleteTree(staging);
        PrivateFiles.makeMissing(staging);
        try {
            Path clone = staging.resolve("clone");
            T made = work.make(staging, clone);
            SafeDirectory.empty(directory);
            moveInto(directory, clone);
            return made;
        } finally {
            SafeDirectory.deleteTree(staging);
        }
    }

    /**
     * Takes from the mirror what is reachable from one commit, and the tags in there: no other story's work, and nothing that
     * was thrown away. Copied, not linked: an agent that is root in its container could write the mirror through a link. Git
     * writes the pack where it stays; a fetch would do the same and then unpack and check everything once more.
     *
     * @return what the clone has
     */
    private Cloned clone(Path staging, Path clone, String targetBranch, ObjectId base) throws IOException {
        git(staging, "init", "--quiet", "--template=", "--", clone.toString());
        Map<String, String> refs = tags(staging, base);
        KeptPacks.Contents wanted = new KeptPacks.Contents(base.name(), new TreeSet<>(refs.values()));
        refs.put("refs/remotes/origin/" + targetBranch, base.name());
        Path packs = Files.createDirectories(packs(clone));
        Optional<KeptPacks.Contents> copied = keptPacks.copyInto(packs, wanted);
        if (!copied.equals(Optional.of(wanted))) {
            pack(staging, wanted, copied, packs);
        }
        StringBuilder packed = new StringBuilder();
        refs.forEach((name, id) -> packed.append(id).append(' ').append(name).append('\n'));
        Files.writeString(clone.resolve(".git/packed-refs"), packed);
        Path shallow = mirror.directory().resolve("shallow");
        if (Files.exists(shallow)) {
            Files.copy(shallow, clone.resolve(".git/shallow"));
        }
        Path head = clone.resolve(".git/refs/remotes/origin/HEAD");
        Files.createDirectories(ParentDirectory.of(head));
        Files.writeString(head, "ref: refs/remotes/origin/" + targetBranch + "\n");
        return new Cloned(wanted, copied.isPresent());
    }

    /** The tags that are reachable from a commit. */
    private Map<String, String> tags(Path staging, ObjectId base) throws IOException {
        Map<String, String> refs = new TreeMap<>();
        try (Repository repository = mirror.open()) {
            // Most repositories have none: no process is needed to say so.
            if (repository.getRefDatabase().getRefsByPrefix(Constants.R_TAGS).isEmpty()) {
                return refs;
            }
        }
        git(
                        staging,
                        "--git-dir=" + mirror.directory(),
                        "for-each-ref",
                        "--merged=" + base.name(),
                        "--format=%(refname) %(objectname)",
                        "refs/tags")
                .lines()
                .map(line -> line.split(" ", 2))
                .forEach(tag -> refs.put(tag[0], tag[1]));
        return refs;
    }

    private static Path packs(Path clone) {
        return clone.resolve(".git/objects/pack");
    }

    /** Makes a pack of what is not there yet. */
    private void pack(Path staging, KeptPacks.Contents wanted, Optional<KeptPacks.Contents> there, Path packs)
            throws IOException {
        Path revisions = staging.resolve("revisions");
        Stream<String> without =
                there.stream().flatMap(known -> known.ids().stream()).map(id -> "^" + id);
        Files.write(revisions, Stream.concat(wanted.ids().stream(), without).toList());
        mirror.git()
                .local(
                        staging,
                        revisions,
                        "--git-dir=" + mirror.directory(),
                        "pack-objects",
                        "--quiet",
                        "--revs",
                        "--non-empty",
                        "--use-bitmap-index",
                        "--delta-base-offset",
                        packs.resolve("pack").toString())
                .orThrow("cannot copy objects of the mirror of " + mirror.remote());
    }

    private void configure(Path clone, PersonIdent agent) throws IOException {
        Path file = clone.resolve(".git/config");
        Config config = new Config();
        try {
            config.fromText(Files.readString(file));
        } catch (ConfigInvalidException e) {
            throw new GitException("git has written the config " + file + ", which is not valid: " + e.getMessage(), e);
        }
        config.setString("remote", "origin", "url", mirror.remote().url());
        config.setString("remote", "origin", "fetch", "+refs/heads/*:refs/remotes/origin/*");
        config.setString("user", null, "name", agent.getName());
        config.setString("user", null, "email", agent.getEmailAddress());
        Files.writeString(file, config.toText());
        attributes(clone);
    }

    private static void attributes(Path clone) throws IOException {
        Files.createDirectories(clone.resolve(".git/info"));
        Files.writeString(clone.resolve(".git/info/attributes"), ATTRIBUTES);
    }

    private String git(Path clone, String... arguments) {
        return mirror.git().local(clone, arguments).orThrow("cannot set up a workspace from " + mirror.remote());
    }

    private static void moveInto(Path directory, Path clone) throws IOException {
        try (SafeDirectory target = SafeDirectory.open(directory);
                SafeDirectory source = SafeDirectory.open(clone);
                SafeDirectory listed = SafeDirectory.open(clone)) {
            for (SafeDirectory.DirectoryEntry entry : listed.list()) {
                target.adopt(source, entry.name(), entry.name());
            }
        }
    }
}
