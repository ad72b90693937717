package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.Workspace.Place;
import io.maestro.git.internal.Workspace.Snapshot;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jspecify.annotations.Nullable;

/**
 * The branch of one attempt of a story: snapshots are committed on it in the mirror, and its tip is pushed. Safe for use by
 * several threads.
 */
final class AttemptBranch {
    private final Mirror mirror;
    private volatile Place place;
    private final Committer committer;

    AttemptBranch(Mirror mirror, Place place, Committer committer) {
        this.mirror = mirror;
        this.place = place;
        this.committer = committer;
    }

    String name() {
        return place.branch();
    }

    /** See {@link Workspace#commit}, which looks for secrets first. */
    String commit(Snapshot snapshot, String subject, String body, List<String> trailers) {
        return mirror.locked(() -> {
            try (Repository repository = mirror.open();
                    RevWalk walk = new RevWalk(repository)) {
                RevCommit base = walk.parseCommit(StoryCommits.require(repository, snapshot.baseCommit()));
                ObjectId tree = ObjectId.fromString(snapshot.tree());
                RevCommit last = lastCommit(walk);
                if (last != null && last.getTree().equals(tree) && isOnTopOf(base, last)) {
                    return last.name();
                }
                try (Repository own = mirror.open(place.objects());
                        ObjectReader reader = own.newObjectReader();
                        ObjectInserter inserter = repository.newObjectInserter()) {
                    SnapshotObjects.copy(reader, repository.getObjectDatabase(), inserter, tree);
                    inserter.flush();
                }
                ObjectId commit = committer.commit(
                        mirror,
                        repository,
                        tree,
                        parents(walk, base, last),
                        StoryCommits.message(subject, body, trailers, place.storyId(), place.attempt()));
                mirror.update(place.ref(), commit);
                return commit.name();
            }
        });
    }

    /**
     * Notes the commit of an earlier life and what that was compared with, of which the mirror may know nothing any more: the next one is
     * made on top of it.
     */
    void goOnFrom(String commit, Collection<String> bases) {
        mirror.locked(() -> {
            try (Repository repository = mirror.open();
                    RevWalk walk = new RevWalk(repository)) {
                for (String base : bases) {
                    ObjectId kept = StoryCommits.known(repository, base);
                    if (kept != null) {
                        StoryBranches.keepBase(mirror, place.storyId(), place.attempt(), kept);
                    }
                }
                ObjectId known = StoryCommits.known(repository, commit);
                if (known != null && lastCommit(walk) == null) {
                    mirror.update(place.ref(), known);
                }
            }
            return place;
        });
    }

    /** The tip of this attempt's branch, when a commit was made there. */
    private @Nullable RevCommit lastCommit(RevWalk walk) throws IOException {
        ObjectId tip = mirror.resolve(place.ref());
        boolean made = tip != null && !StoryBranches.isBase(mirror, place.storyId(), place.attempt(), tip);
        return made ? walk.parseCommit(tip) : null;
    }

    private List<ObjectId> parents(RevWalk walk, RevCommit base, @Nullable RevCommit last) throws IOException {
        ObjectId pushed = mirror.resolve("refs/heads/" + place.branch());
        if (pushed == null || last == null) {
            return List.of(base);
        }
        RevCommit there = walk.parseCommit(pushed);
        if (!walk.isMergedInto(there, last) || walk.isMergedInto(there, base) || bringsBack(there, base)) {
            return List.of(base);
        }
        return walk.isMergedInto(base, there) ? List.of(there) : List.of(there, base);
    }

    /** Whether a commit adds to its base only what the story has made. */
    private boolean isOnTopOf(RevCommit base, RevCommit commit) throws IOException {
        try (Repository repository = mirror.open()) {
            return StoryCommits.contains(repository, commit, base) && !bringsBack(commit, base);
        }
    }

    /**
     * Whether a commit of the story brings along another one that was taken out of the target branch by force: one that the files were
     * compared with, since all others were reached from such.
     */
    private boolean bringsBack(RevCommit commit, RevCommit base) throws IOException {
        try (Repository repository = mirror.open();
                RevWalk walk = new RevWalk(repository)) {
            walk.markStart(walk.parseCommit(commit));
            walk.markUninteresting(walk.parseCommit(base));
            for (RevCommit added : walk) {
                if (StoryBranches.isBase(mirror, place.storyId(), place.attempt(), added)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** See {@link Workspace#push}. */
    void push() {
        mirror.locked(() -> {
            try (Repository repository = mirror.open();
                    RevWalk walk = new RevWalk(repository)) {
                RevCommit commit = lastCommit(walk);
                if (commit == null) {
                    throw new GitException("nothing to push: story " + place.storyId() + " has no commit yet", null);
                }
                do {
                    if (isTaken(commit)) {
                        // Another Maestro with a story of this id, or a person, since the name was reserved.
                        place = place.on(StoryBranches.reserveAt(mirror, place.storyId(), place.attempt(), commit));
                    }
                } while (!pushed(commit));
            }
            return place;
        });
    }

    private boolean isTaken(ObjectId commit) throws IOException {
        return StoryBranches.isTaken(mirror, place.storyId(), place.attempt(), place.branch(), commit);
    }

    /** Pushes; false when the name was taken meanwhile. What is refused may be mended, while what was approved waits. */
    private boolean pushed(ObjectId commit) throws IOException {
        String ref = "refs/heads/" + place.branch();
        try {
            boolean first = mirror.resolve(ref) == null;
            // Noted before it is there: whatever comes of this process, the next commit is made on top of this one.
            mirror.update(ref, commit);
            if (mirror.push(commit, place.branch(), first)) {
                return true;
            }
            mirror.createOrFetch(place.targetBranch());
            if (isTaken(commit)) {
                return false;
            }
            if (mirror.resolve(ref) == null) {
                throw new GitUnavailableException(
                        "the branch '" + place.branch() + "' of " + mirror.remote() + " takes no push, although nobody"
                                + " has it: another push is under way there, or a killed one has left " + ref
                                + ".lock, which may be removed then",
                        null);
            }
            throw new GitException(
                    "the branch '" + place.branch() + "' of " + mirror.remote()
                            + " has commits that Maestro did not make; move them to another branch or delete it",
                    null);
        } catch (RemoteFailure.RemoteRefusal e) {
            throw new GitUnavailableException(e.getMessage() + "; the work waits until that is mended", e);
        }
    }
}
