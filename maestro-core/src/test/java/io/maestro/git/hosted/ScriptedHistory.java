package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.merge.MergeStrategy;
import org.eclipse.jgit.merge.ThreeWayMerger;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.revwalk.filter.RevFilter;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;

/** The real repository behind a {@link ScriptedServer}, in which merges are made. */
final class ScriptedHistory implements AutoCloseable {
    private final Repository repository;

    ScriptedHistory(Path bare) {
        try {
            repository = new FileRepositoryBuilder()
                    .setGitDir(bare.toFile())
                    .setBare()
                    .setMustExist(true)
                    .build();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The tip of a branch; empty when there is none. */
    String tip(String branch) {
        try {
            Ref ref = repository.exactRef(Constants.R_HEADS + branch);
            return ref == null ? "" : ref.getObjectId().name();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void rename(String from, String to) {
        try {
            RefUpdate.Result result = repository
                    .renameRef(Constants.R_HEADS + from, Constants.R_HEADS + to)
                    .rename();
            assertThat(result).isEqualTo(RefUpdate.Result.RENAMED);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    boolean contains(String commit, String part) {
        try (RevWalk walk = new RevWalk(repository)) {
            return walk.isMergedInto(
                    walk.parseCommit(ObjectId.fromString(part)), walk.parseCommit(ObjectId.fromString(commit)));
        } catch (MissingObjectException e) {
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    boolean conflicts(String one, String other) {
        try {
            return !merger().merge(ObjectId.fromString(one), ObjectId.fromString(other));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private ThreeWayMerger merger() {
        return MergeStrategy.RECURSIVE.newMerger(repository, true);
    }

    /** Makes a commit of both and moves the branch to it. */
    String merge(String branch, String commit, String method, String message) {
        ObjectId base = ObjectId.fromString(tip(branch));
        ObjectId head = ObjectId.fromString(commit);
        try (ObjectInserter inserter = repository.newObjectInserter()) {
            ThreeWayMerger merger = merger();
            if (!merger.merge(base, head)) {
                throw new AssertionError("merged although it conflicts");
            }
            CommitBuilder made = new CommitBuilder();
            made.setTreeId(merger.getResultTreeId());
            made.setParentIds(method.equals("merge") ? List.of(base, head) : List.of(base));
            PersonIdent person = new PersonIdent("Server", "noreply@example.org");
            made.setAuthor(person);
            made.setCommitter(person);
            made.setMessage(message);
            ObjectId id = inserter.insert(made);
            inserter.flush();
            move(branch, base, id);
            return id.name();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Moves a branch to a commit that has its tip. */
    String forward(String branch, String commit) {
        try {
            move(branch, ObjectId.fromString(tip(branch)), ObjectId.fromString(commit));
            return commit;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void move(String branch, ObjectId from, ObjectId to) throws IOException {
        RefUpdate update = repository.updateRef(Constants.R_HEADS + branch);
        update.setExpectedOldObjectId(from);
        update.setNewObjectId(to);
        RefUpdate.Result result = update.update();
        if (result != RefUpdate.Result.FAST_FORWARD) {
            throw new AssertionError("the branch was not moved: " + result);
        }
    }

    /** The newest commit that two have in common. */
    String mergeBase(String one, String other) {
        try (RevWalk walk = new RevWalk(repository)) {
            walk.setRevFilter(RevFilter.MERGE_BASE);
            walk.markStart(walk.parseCommit(ObjectId.fromString(one)));
            walk.markStart(walk.parseCommit(ObjectId.fromString(other)));
            RevCommit base = walk.next();
            return base == null ? "" : base.name();
        } catch (MissingObjectException e) {
            return "";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String firstParent(String commit) {
        return parents(commit).get(0);
    }

    List<String> parents(String commit) {
        try (RevWalk walk = new RevWalk(repository)) {
            return Stream.of(walk.parseCommit(ObjectId.fromString(commit)).getParents())
                    .map(RevCommit::name)
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        repository.close();
    }
}
