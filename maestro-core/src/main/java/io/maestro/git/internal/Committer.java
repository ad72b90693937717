package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;

/**
 * Makes commits in somebody's name. The git of this machine signs them, as its own configuration says.
 *
 * @param who in whose name; its time does not count
 * @param signs whether commits are signed
 */
record Committer(PersonIdent who, boolean signs) {
    private static final String ADVICE =
            "; correct user.signingKey and gpg.format in git's configuration on this machine, see"
                    + " that the key can be used without a question (an agent), or switch git.signCommits off";

    private static final String AGENT = "{AGENT_ID}";

    /** In whose name an agent commits. */
    static Committer of(String agentId, GitOptions options) {
        return new Committer(
                new PersonIdent(
                        options.userName().replace(AGENT, agentId),
                        options.userEmail().replace(AGENT, agentId)),
                options.signCommits());
    }

    /**
     * Adds a commit to the mirror. Lock of the mirror held.
     *
     * @throws GitUnavailableException when it cannot be signed now
     */
    ObjectId commit(
            Mirror mirror, Repository repository, ObjectId tree, List<? extends ObjectId> parents, String message)
            throws IOException {
        PersonIdent now = new PersonIdent(who, Instant.now());
        if (!signs) {
            return StoryCommits.create(repository, tree, parents, now, message);
        }
        GitCli.GitResult result = signed(mirror, now, tree, parents, message);
        if (result.exitCode() != 0) {
            throw new GitUnavailableException("a commit cannot be signed: " + result.details() + ADVICE, null);
        }
        return ObjectId.fromString(result.out().strip());
    }

    /**
     * Tries to sign something. Lock of the mirror held.
     *
     * @throws GitException when it fails
     */
    void requireSigning(Mirror mirror, ObjectId tree) throws IOException {
        if (signs) {
            GitCli.GitResult result = signed(mirror, new PersonIdent(who, Instant.now()), tree, List.of(), "A trial\n");
            if (result.exitCode() != 0) {
                throw new GitException("commits cannot be signed: " + result.details() + ADVICE, null);
            }
        }
    }

    private static GitCli.GitResult signed(
            Mirror mirror, PersonIdent who, ObjectId tree, List<? extends ObjectId> parents, String message)
            throws IOException {
        // As JGit does it, the object is on the disk before a ref is.
        List<String> command = new ArrayList<>(
                List.of("-c", "core.fsync=loose-object", "-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S"));
        parents.forEach(parent -> command.addAll(List.of("-p", parent.name())));
        command.add(tree.name());
        String time = "@" + who.getWhenAsInstant().getEpochSecond() + " +0000";
        Path text = Files.createTempFile("maestro-commit", ".txt");
        try {
            Files.writeString(text, message);
            return mirror.git()
                    .withUsersConfig(
                            mirror.directory(),
                            text,
                            Map.of(
                                    "GIT_AUTHOR_NAME", who.getName(),
                                    "GIT_AUTHOR_EMAIL", who.getEmailAddress(),
                                    "GIT_AUTHOR_DATE", time,
                                    "GIT_COMMITTER_NAME", who.getName(),
                                    "GIT_COMMITTER_EMAIL", who.getEmailAddress(),
                                    "GIT_COMMITTER_DATE", time),
                            command.toArray(String[]::new));
        } finally {
            Files.deleteIfExists(text);
        }
    }
}
