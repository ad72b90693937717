package io.maestro.git;

import io.maestro.git.internal.GitTimes;
import io.maestro.git.internal.LocalMerge;
import java.time.Duration;
import java.util.Optional;

/**
 * Merges with git alone, in any repository that can be fetched from and pushed to: a bare one on this machine, or one on a
 * server without pull requests. What is merged has the files of the tested commit, exactly, in the name of who made that. It is
 * made in the mirror and pushed as a fast-forward; nothing is ever pushed with force. When somebody else was
 * faster, nothing is merged, and the answer is {@link Outcome.Moved}. A branch that is merged is deleted, if nobody else has pushed
 * to it and the repository allows it.
 *
 * <p>Hooks of the real repository run when it receives a push, on its machine and by its owner's will. A push that
 * these or a rule of a server refuse is {@link Outcome.Pending} for five minutes, with their words as a warning: approved work
 * waits until somebody has mended that.
 */
public final class LocalForge implements Forge {
    private final MergeMethod method;
    private final LocalMerge merge;

    /** Creates a forge that makes merge commits, with the default time limits of git; it has no state. */
    public LocalForge() {
        this(MergeMethod.MERGE);
    }

    /**
     * Creates a forge with the default time limits of git; it has no state.
     *
     * @param method with a merge commit; as one commit, with the message of the story's last; or, for {@link MergeMethod#REBASE},
     *     with the story's commits as they are. Where these bring in news that came meanwhile, and so are not in one line, the
     *     whole is one commit. A story of one commit on the target branch's tip is taken as it is by both
     * @throws IllegalArgumentException for {@link MergeMethod#QUEUE}
     */
    public LocalForge(MergeMethod method) {
        this(method, GitTimes.DEFAULT.local(), GitTimes.DEFAULT.remote());
    }

    /**
     * Creates a forge; it has no state.
     *
     * @param method how it merges
     * @param localTime how long git may show no progress on this machine
     * @param remoteTime how long git may show no progress when it talks to the real repository
     * @throws IllegalArgumentException for {@link MergeMethod#QUEUE}
     */
    public LocalForge(MergeMethod method, Duration localTime, Duration remoteTime) {
        if (method == MergeMethod.QUEUE) {
            throw new IllegalArgumentException(
                    "git alone has no merge queue: choose MERGE, SQUASH or REBASE, or a forge");
        }
        this.method = method;
        this.merge = new LocalMerge(new GitTimes(localTime, remoteTime), method);
    }

    @Override
    public String id() {
        return "local";
    }

    /** There is nothing to propose to: the pushed branch is the proposal. */
    @Override
    public Optional<String> propose(Proposal proposal) {
        return Optional.empty();
    }

    @Override
    public Outcome merge(Proposal proposal) {
        return merge.merge(proposal);
    }

    @Override
    public String toString() {
        return "LocalForge[method=" + method + "]";
    }
}
