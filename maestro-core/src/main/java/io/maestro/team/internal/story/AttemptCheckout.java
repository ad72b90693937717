package io.maestro.team.internal.story;

import java.util.LinkedHashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Where an attempt works: its workspace, and the branch whose commits came into it. */
public final class AttemptCheckout {
    private @Nullable String workspaceId;
    private LinkedHashSet<String> workingDirectories = new LinkedHashSet<>();
    private boolean setUp;
    private @Nullable String targetBranch;
    private @Nullable String instructionsCommit;

    /** By step. */
    private NavigableMap<Integer, String> tips = new TreeMap<>();

    AttemptCheckout() {}

    /** The workspace is made, under an id that no other attempt has, of a commit of the target branch. */
    public void made(String id, String commit) {
        workspaceId = id;
        instructionsCommit = commit;
    }

    /** Marks the workspace of the attempt; null before SETUP. */
    public @Nullable String workspaceId() {
        return workspaceId;
    }

    /** The commit of the target branch that the workspace began with, whose instructions hold for the attempt; null before SETUP. */
    public @Nullable String instructionsCommit() {
        return instructionsCommit;
    }

    /** The commands of the attempt see the directory of the workspace under this name. */
    public void seenAs(String directory) {
        workingDirectories.add(directory);
    }

    /** The directory as its commands see it, under each name that it has had; a replay works in another one. */
    public Set<String> workingDirectories() {
        return Set.copyOf(workingDirectories);
    }

    /** The setup command has run in the workspace, or there is none. */
    public void setUp() {
        setUp = true;
    }

    /** Whether the setup command has run in the workspace. */
    public boolean isSetUp() {
        return setUp;
    }

    /** The branch to merge into is known. */
    public void mergesInto(String branch) {
        targetBranch = branch;
    }

    /** The branch to merge into; null before SETUP. */
    public @Nullable String targetBranch() {
        return targetBranch;
    }

    /** A tip of the target branch is in the workspace, in this step. */
    public void broughtIn(int step, String tip) {
        tips.put(step, tip);
    }

    /** The tips of the target branch that came into the work in PREPARE_MERGE, by step: a replay brings them in again. */
    public NavigableMap<Integer, String> tips() {
        return new TreeMap<>(tips);
    }
}
