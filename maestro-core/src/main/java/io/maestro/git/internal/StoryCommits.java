package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.internal.text.ForgeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jspecify.annotations.Nullable;

/** Commits of stories. They carry a story's id and attempt as trailers, for people; nothing is decided by these. */
final class StoryCommits {
    private StoryCommits() {}

    /** A message whose last paragraph are the trailers; whatever the body has in it, that paragraph is ours, and no CI obeys it. */
    static String message(String subject, String body, List<String> trailers, String storyId, int attempt) {
        String line = oneLine(subject);
        List<String> lines = trailers.stream().map(StoryCommits::oneLine).toList();
        return (line.isEmpty() ? "Story " + storyId : line) + "\n\n"
                + ForgeText.commitBody(body, lines, storyId, attempt);
    }

    private static String oneLine(String text) {
        return ForgeText.inert(text.replaceAll("\\p{Cntrl}+", " ").strip());
    }

    static ObjectId create(
            Repository repository,
            ObjectId tree,
            List<? extends ObjectId> parents,
            PersonIdent identity,
            String message)
            throws IOException {
        CommitBuilder commit = new CommitBuilder();
        commit.setTreeId(tree);
        commit.setParentIds(parents);
        commit.setAuthor(identity);
        commit.setCommitter(identity);
        commit.setEncoding(StandardCharsets.UTF_8);
        commit.setMessage(message);
        try (ObjectInserter inserter = repository.newObjectInserter()) {
            ObjectId id = inserter.insert(commit);
            inserter.flush();
            return id;
        }
    }

    /**
     * The commit that brought one of these into a branch: the merge that has it as a parent, itself where it was added to
     * the branch without one, or one that has made the same files of the same past, as a squash does. A message is not believed,
     * for anybody can write one: another Maestro with a story of the same id, for example.
     *
     * @param commits ids; what is not in the repository is in no branch of it
     * @return null when none of them is in the branch
     */
    static @Nullable ObjectId merged(Repository repository, AnyObjectId tip, Collection<String> commits)
            throws IOException {
        for (String name : commits) {
            ObjectId commit = known(repository, name);
            ObjectId by = commit == null ? null : broughtIn(repository, tip, commit);
            if (by != null) {
                return by;
            }
        }
        return null;
    }

    private static @Nullable ObjectId broughtIn(Repository repository, AnyObjectId tip, ObjectId id)
            throws IOException {
        boolean contained = contains(repository, tip, id);
        try (RevWalk walk = new RevWalk(repository)) {
            RevCommit commit = walk.parseCommit(id);
            walk.markStart(walk.parseCommit(tip));
            walk.markUninteresting(commit);
            for (RevCommit later : walk) {
                boolean by = contained
                        ? List.of(later.getParents()).lastIndexOf(commit) > 0
                        : later.getParentCount() == 1
                                && later.getTree().equals(commit.getTree())
                                && contains(repository, commit, later.getParent(0));
                if (by) {
                    return later.copy();
                }
            }
        }
        return contained ? id : null;
    }

    /** Whether all that is reachable from one commit is reachable from another. */
    static boolean contains(Repository repository, AnyObjectId tip, AnyObjectId commit) throws IOException {
        try (RevWalk walk = new RevWalk(repository)) {
            return walk.isMergedInto(walk.parseCommit(commit), walk.parseCommit(tip));
        }
    }

    /** The tree of a commit that is there. */
    static ObjectId tree(Repository repository, String commit) throws IOException {
        return tree(repository, require(repository, commit));
    }

    static ObjectId tree(Repository repository, AnyObjectId commit) throws IOException {
        try (RevWalk walk = new RevWalk(repository)) {
            return walk.parseCommit(commit).getTree().copy();
        }
    }

    /** A commit's id from its name; null when there is no name, or the commit is gone, as after a forced push. */
    static @Nullable ObjectId known(Repository repository, @Nullable String name) throws IOException {
        ObjectId id = ObjectId.isId(name) ? ObjectId.fromString(name) : null;
        return id != null && repository.getObjectDatabase().has(id) ? id : null;
    }

    /** A commit's id from its name; the commit must be there. */
    static ObjectId require(Repository repository, String name) throws IOException {
        ObjectId id = known(repository, name);
        if (id == null) {
            throw new GitException("the mirror " + repository.getDirectory() + " has no commit '" + name + "'", null);
        }
        return id;
    }
}
