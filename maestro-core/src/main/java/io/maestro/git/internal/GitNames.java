package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.Repository;

/** Names that become files and refs. */
final class GitNames {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

    private GitNames() {}

    static void requireId(String kind, String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("not the id of " + (kind.equals("agent") ? "an agent" : "a story")
                    + ": '" + id + "'; use 1 to 64 letters, digits, '_' and '-', starting with a letter or a digit");
        }
    }

    static void requireBranch(String branch) {
        if (branch.startsWith("-") || !Repository.isValidRefName("refs/heads/" + branch)) {
            throw new GitException("'" + branch + "' is not the name of a branch", null);
        }
    }
}
