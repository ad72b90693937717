package io.maestro.git.hosted;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Proposal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.dircache.DirCache;
import org.eclipse.jgit.dircache.DirCacheBuilder;
import org.eclipse.jgit.dircache.DirCacheEntry;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;

/** Makes what stories propose: in a repository and in its mirror, without a process of git for each commit. */
final class Proposals implements AutoCloseable {
    final TestRepository repository;
    private final Path mirror;
    private final List<Repository> both = new ArrayList<>();

    Proposals(Path directory) throws IOException {
        repository = TestRepository.create(directory, Map.of("README.md", "r"));
        mirror = directory.resolve("mirror.git");
        TestRepository.git(directory, "clone", "--quiet", "--bare", repository.url(), mirror.toString());
        // Has at once what is merged on the server.
        Files.writeString(mirror.resolve("objects/info/alternates"), repository.url() + "/objects\n");
        for (Path bare : List.of(Path.of(repository.url()), mirror)) {
            both.add(new FileRepositoryBuilder()
                    .setGitDir(bare.toFile())
                    .setBare()
                    .build());
        }
    }

    /** A first proposal of a story, on top of the target branch. */
    Proposal first(String story) throws IOException {
        String branch = "maestro/story-" + story;
        String base = tip("main");
        return of(story, branch, commit(branch, story + ".txt", "1", base), base, List.of());
    }

    /** The same with other files. */
    Proposal next(Proposal before, String content) throws IOException {
        return of(
                before.storyId(),
                before.branch(),
                commit(before.branch(), before.storyId() + ".txt", content, before.commit()),
                before.base(),
                before.earlier());
    }

    /** The same with the target branch's news. */
    Proposal onTop(Proposal before, String content) throws IOException {
        String base = tip("main");
        String commit = commit(before.branch(), before.storyId() + ".txt", content, base, before.commit());
        return of(before.storyId(), before.branch(), commit, base, before.earlier());
    }

    /** What the next attempt proposes, from its beginning. */
    Proposal nextAttempt(Proposal before) throws IOException {
        String branch = before.branch() + "-2";
        String base = tip("main");
        return new Proposal(
                before.storyId(),
                before.attempt() + 1,
                before.title(),
                before.description(),
                before.repository(),
                before.remote(),
                branch,
                commit(branch, before.storyId() + ".txt", "2", base),
                base,
                before.targetBranch(),
                before.commits());
    }

    /** Somebody pushes to the target branch; the mirror learns of it. */
    String moves(String file) throws IOException {
        return commit("main", file, "theirs", tip("main"));
    }

    /** The same into another branch, which begins where the target is. */
    Proposal into(Proposal before, String target) throws IOException {
        for (Repository one : both) {
            RefUpdate update = one.updateRef(Constants.R_HEADS + target);
            update.setNewObjectId(ObjectId.fromString(before.base()));
            update.forceUpdate();
        }
        return new Proposal(
                before.storyId(),
                before.attempt(),
                before.title(),
                before.description(),
                before.repository(),
                before.remote(),
                before.branch(),
                before.commit(),
                before.base(),
                target,
                before.earlier());
    }

    /** Somebody pushes to a branch, and the mirror does not know. */
    String pushedByOthers(String branch) throws IOException {
        return commitTo(both.subList(0, 1), branch, "others.txt", "theirs", tip(branch));
    }

    Proposal of(String story, String branch, String commit, String base, List<String> earlier) {
        return new Proposal(
                story,
                1,
                "Title " + story,
                "Some words.\n\nfix: x",
                mirror,
                repository.url(),
                branch,
                commit,
                base,
                "main",
                earlier,
                "## What\n\nSome words.");
    }

    String tip(String branch) throws IOException {
        ObjectId tip = both.get(0).resolve(Constants.R_HEADS + branch);
        return tip == null ? "" : tip.name();
    }

    private String commit(String branch, String file, String content, String... parents) throws IOException {
        return commitTo(both, branch, file, content, parents);
    }

    private static String commitTo(
            List<Repository> repositories, String branch, String file, String content, String... parents)
            throws IOException {
        String made = "";
        PersonIdent person = new PersonIdent("C", "c@example.org", Instant.now(), ZoneOffset.UTC);
        for (Repository one : repositories) {
            made = commit(one, branch, file, content, person, parents);
        }
        return made;
    }

    private static String commit(
            Repository repository, String branch, String file, String content, PersonIdent person, String... parents)
            throws IOException {
        try (ObjectInserter inserter = repository.newObjectInserter();
                RevWalk walk = new RevWalk(repository)) {
            RevCommit first = walk.parseCommit(ObjectId.fromString(parents[0]));
            DirCache index = DirCache.read(walk.getObjectReader(), first.getTree());
            DirCacheBuilder builder = index.builder();
            for (int i = 0; i < index.getEntryCount(); i++) {
                if (!index.getEntry(i).getPathString().equals(file)) {
                    builder.add(index.getEntry(i));
                }
            }
            DirCacheEntry added = new DirCacheEntry(file);
            added.setFileMode(FileMode.REGULAR_FILE);
            added.setObjectId(inserter.insert(Constants.OBJ_BLOB, content.getBytes(StandardCharsets.UTF_8)));
            builder.add(added);
            builder.finish();
            CommitBuilder commit = new CommitBuilder();
            commit.setTreeId(index.writeTree(inserter));
            commit.setParentIds(
                    List.of(parents).stream().map(ObjectId::fromString).toList());
            commit.setAuthor(person);
            commit.setCommitter(person);
            commit.setMessage("change " + file);
            ObjectId id = inserter.insert(commit);
            inserter.flush();
            RefUpdate update = repository.updateRef(Constants.R_HEADS + branch);
            update.setNewObjectId(id);
            update.forceUpdate();
            return id.name();
        }
    }

    @Override
    public void close() {
        both.forEach(Repository::close);
    }
}
