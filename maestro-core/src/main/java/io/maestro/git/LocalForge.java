package io.maestro.git;

import io.maestro.git.internal.GitTimes;
import io.maestro.git.internal.LocalMerge;
import java.time.Duration;
import java.util.Optional;

/**
 * Merges with git alone, in any repository that can be fetched from and pushed to: a bare one on this machine, or one on a
 * server without pull requests. A merge is a merge commit with two parents, made in the mirror and pushed as a
 * fast-forward; nothing is ever pushed with force. Its files are those of the merged commit, exactly. When somebody else was
 * faster, nothing is merged, and the answer is {@link Outcome.Moved}. A branch that is merged is deleted, if nobody else has pushed
 * to it and the repository allows it.
 *
 * <p>Hooks of the real repository run when it receives a push, on its machine and by its owner's will; one that refuses
 * makes {@link #merge} fail with its words.
 */
public final class LocalForge implements Forge {
    private final LocalMerge merge;

    /** Creates a forge with the default time limits of git; it has no state. */
    public LocalForge() {
        this(GitTimes.DEFAULT.local(), GitTimes.DEFAULT.remote());
    }

    /**
     * Creates a forge; it has no state.
     *
     * @param localTime how long git may show no progress on this machine
     * @param remoteTime how long git may show no progress when it talks to the real repository
     */
    public LocalForge(Duration localTime, Duration remoteTime) {
        this.merge = new LocalMerge(new GitTimes(localTime, remoteTime));
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
}
