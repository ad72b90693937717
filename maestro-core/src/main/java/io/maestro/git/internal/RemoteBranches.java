package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a repository answered to {@code ls-remote --symref}.
 *
 * @param branches the names of its branches
 * @param head the branch that its HEAD names, when that branch exists
 * @param tip the id of a commit of it; empty when it has none
 */
record RemoteBranches(NavigableSet<String> branches, Optional<String> head, Optional<String> tip) {
    private static final String HEADS = "refs/heads/";
    private static final String SYMBOLIC = "ref: ";
    private static final int SHA1_DIGITS = 40;
    private static final int MOST_SHOWN = 20;

    static RemoteBranches parse(String output) {
        NavigableSet<String> branches = new TreeSet<>();
        @Nullable String head = null;
        @Nullable String tip = null;
        for (String line : output.lines().toList()) {
            int tab = line.indexOf('\t');
            if (tab < 0) {
                continue;
            }
            String left = line.substring(0, tab);
            String name = line.substring(tab + 1);
            if (left.startsWith(SYMBOLIC)) {
                head = left.startsWith(SYMBOLIC + HEADS) && name.equals("HEAD")
                        ? left.substring(SYMBOLIC.length() + HEADS.length())
                        : head;
                continue;
            }
            tip = left;
            if (name.startsWith(HEADS)) {
                branches.add(name.substring(HEADS.length()));
            }
        }
        return new RemoteBranches(
                branches, Optional.ofNullable(head).filter(branches::contains), Optional.ofNullable(tip));
    }

    /**
     * The target branch.
     *
     * @param wanted its name, or null for the one that HEAD names
     * @throws GitException when there is no such branch
     */
    String target(RemoteUrl remote, @Nullable String wanted) {
        if (tip.isEmpty()) {
            throw new GitException(
                    "the repository " + remote + " is empty: push a first commit to it (a README is enough)", null);
        }
        if (tip.get().length() > SHA1_DIGITS) {
            throw new GitException(
                    "the repository " + remote
                            + " names its objects by SHA-256, which Maestro does not support: use one"
                            + " that is made with 'git init --object-format=sha1'",
                    null);
        }
        if (branches.isEmpty()) {
            throw new GitException(
                    "the repository " + remote + " has no branch, only a detached HEAD: make one there"
                            + " ('git branch main'), or use the repository that it was cloned from",
                    null);
        }
        if (wanted == null) {
            return head.orElseThrow(() -> new GitException(
                    "the repository " + remote
                            + " names no default branch (its HEAD is detached, perhaps): set the target branch to one of "
                            + shown(),
                    null));
        }
        if (!branches.contains(wanted)) {
            throw new GitException(
                    "the repository " + remote + " has no branch '" + wanted + "'; it has " + shown(), null);
        }
        return wanted;
    }

    /** The names for a message: all, or the first ones. */
    private String shown() {
        String first = String.join(", ", branches.stream().limit(MOST_SHOWN).toList());
        return branches.size() > MOST_SHOWN ? first + ", … (" + branches.size() + " in all)" : first;
    }
}
