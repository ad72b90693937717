package io.maestro.git.internal;

import io.maestro.git.Forge.Proposal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.revwalk.filter.RevFilter;
import org.jspecify.annotations.Nullable;

/** What the mirror knows about the commits of a proposal that a forge speaks of. Stateless. */
public final class ProposedCommits {
    private final GitCli git;

    /**
     * Creates it.
     *
     * @param times how long git may show no progress
     */
    public ProposedCommits(GitTimes times) {
        this.git = new GitCli(times);
    }

    /**
     * Whether a commit is the proposed one or an older one of the same branch.
     *
     * @param proposal the proposal
     * @param name a commit's id, as somebody else says it
     * @return false when it is unknown here
     */
    public boolean isOwn(Proposal proposal, String name) {
        if (proposal.commits().contains(name)) {
            return true;
        }
        Mirror mirror = mirror(proposal);
        try (Repository repository = mirror.open()) {
            ObjectId commit = StoryCommits.known(repository, name);
            return commit != null
                    && StoryCommits.contains(repository, StoryCommits.require(repository, proposal.commit()), commit)
                    && !StoryCommits.contains(repository, StoryCommits.require(repository, proposal.base()), commit);
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /**
     * The commits that were proposed before: of the same branch, the newest first, then of earlier attempts.
     *
     * @param proposal the proposal
     * @param most how many are enough
     * @return their ids
     */
    public List<String> earlier(Proposal proposal, int most) {
        Mirror mirror = mirror(proposal);
        try (Repository repository = mirror.open();
                RevWalk walk = new RevWalk(repository)) {
            RevCommit last = walk.parseCommit(StoryCommits.require(repository, proposal.commit()));
            walk.markStart(last);
            walk.markUninteresting(walk.parseCommit(StoryCommits.require(repository, proposal.base())));
            List<String> earlier = new ArrayList<>();
            for (RevCommit commit : walk) {
                earlier.add(commit.name());
            }
            earlier.addAll(proposal.earlier());
            earlier.remove(last.name());
            return earlier.stream().limit(most).toList();
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /**
     * Whether the proposed commit is an older one with the target branch's news and nothing else: then whoever has agreed to
     * the older one has agreed to all that is proposed.
     *
     * @param proposal the proposal
     * @param name the older commit's id
     * @return false when it is no commit of this branch, or the two cannot be merged without somebody's decision
     */
    public boolean isCarriedOver(Proposal proposal, String name) {
        if (proposal.commit().equals(name)) {
            return true;
        }
        if (!isOwn(proposal, name)) {
            return false;
        }
        Mirror mirror = mirror(proposal);
        try (Repository repository = mirror.open();
                RevWalk walk = new RevWalk(repository);
                ObjectInserter nowhere = new Ids()) {
            RevCommit older = walk.parseCommit(StoryCommits.require(repository, name));
            RevCommit base = walk.parseCommit(StoryCommits.require(repository, proposal.base()));
            RevCommit common = common(walk, older, base);
            if (common == null) {
                return false;
            }
            TreeMerge.MergedTree merged = TreeMerge.merge(
                    mirror,
                    mirror.objects(),
                    repository,
                    nowhere,
                    common.getTree(),
                    new TreeMerge.Side(older.getTree(), proposal.branch()),
                    new TreeMerge.Side(base.getTree(), proposal.targetBranch()));
            return merged.conflicts().isEmpty()
                    && merged.tree()
                            .equals(StoryCommits.tree(repository, StoryCommits.require(repository, proposal.commit())));
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /**
     * Deletes a branch of the real repository that is merged; see {@link Mirror#deletePushed}.
     *
     * @param proposal whose branch; it stays when it is at another commit
     */
    public void deleteBranch(Proposal proposal) {
        Mirror mirror = mirror(proposal);
        boolean unused = mirror.locked(() -> {
            mirror.deletePushed(proposal.branch(), ObjectId.fromString(proposal.commit()));
            return true;
        });
    }

    /** Computes ids and keeps nothing. */
    private static final class Ids extends ObjectInserter.Formatter {
        @Override
        public ObjectId insert(int type, byte[] data, int offset, int length) {
            return idFor(type, data, offset, length);
        }
    }

    private static @Nullable RevCommit common(RevWalk walk, RevCommit one, RevCommit other) throws IOException {
        walk.reset();
        walk.setRevFilter(RevFilter.MERGE_BASE);
        walk.markStart(List.of(one, other));
        RevCommit found = walk.next();
        if (found != null) {
            walk.parseHeaders(found);
        }
        return found;
    }

    private Mirror mirror(Proposal proposal) {
        return new Mirror(proposal.repository().toAbsolutePath(), RemoteUrl.parse(proposal.remote()), git);
    }
}
