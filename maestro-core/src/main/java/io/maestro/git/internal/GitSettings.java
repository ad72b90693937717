package io.maestro.git.internal;

import java.util.List;
import org.eclipse.jgit.lib.PersonIdent;

/**
 * How a host wants git to be used.
 *
 * @param userName the name in commits; <code>{AGENT_ID}</code> is replaced
 * @param userEmail the address in commits; <code>{AGENT_ID}</code> is replaced
 * @param signs whether commits are signed
 * @param conflictGuidance whether the architect is asked how a conflict is to be resolved
 * @param times how long git may show no progress
 * @param sparseDirectories what workspaces have of the repository, see {@link SparseDirectories}; empty for all of it
 */
public record GitSettings(
        String userName,
        String userEmail,
        boolean signs,
        boolean conflictGuidance,
        GitTimes times,
        List<String> sparseDirectories) {
    private static final String AGENT = "{AGENT_ID}";

    /** Commits in the name of {@code Maestro <agent> <<agent>@maestro.local>}, and workspaces with all files. */
    public static final GitSettings DEFAULT = new GitSettings(
            "Maestro {AGENT_ID}", "{AGENT_ID}@maestro.local", false, false, GitTimes.DEFAULT, List.of());

    public GitSettings {
        sparseDirectories = List.copyOf(sparseDirectories);
    }

    /** In whose name an agent commits. */
    Committer committer(String agentId) {
        return new Committer(
                new PersonIdent(userName.replace(AGENT, agentId), userEmail.replace(AGENT, agentId)), signs);
    }
}
