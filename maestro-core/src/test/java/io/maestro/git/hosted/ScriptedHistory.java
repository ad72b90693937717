package io.maestro.git.hosted;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;

/** The real repository behind {@link ScriptedGitHub}, in which merges are made. */
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
            PersonIdent person = new PersonIdent("GitHub", "noreply@example.org");
            made.setAuthor(person);
            made.setCommitter(person);
            made.setMessage(message);
            ObjectId id = inserter.insert(made);
            inserter.flush();
            RefUpdate update = repository.updateRef(Constants.R_HEADS + branch);
            update.setExpectedOldObjectId(base);
            update.setNewObjectId(id);
            RefUpdate.Result result = update.update();
            if (result != RefUpdate.Result.FAST_FORWARD) {
                throw new AssertionError("the branch was not moved: " + result);
            }
            return id.name();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String firstParent(String commit) {
        try (RevWalk walk = new RevWalk(repository)) {
            return walk.parseCommit(ObjectId.fromString(commit)).getParent(0).name();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        repository.close();
    }
}
