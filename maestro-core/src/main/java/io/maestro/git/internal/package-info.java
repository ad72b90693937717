/**
 * How Maestro works with git: a mirror that agents cannot write, workspaces that the host only reads as plain files, and
 * the merge of finished branches. Nothing from a workspace's {@code .git} is run once its agent has started, and nothing
 * is read but the state of submodules.
 *
 * <p>Homes of rules: {@link io.maestro.git.internal.StoryCommits} (a story is merged
 * when the target branch has one of its own commits, or the same files made of the same past, whatever a message says),
 * {@link io.maestro.git.internal.text.ForgeText} (texts of agents, tests and strangers are no commands where a forge or a CI reads them),
 * {@link io.maestro.git.internal.Committer} (in whose name commits are made, and with what they are signed),
 * {@link io.maestro.git.internal.Mirror} (whether the real repository was reached before),
 * {@link io.maestro.git.internal.RemoteFailure} (what is an outage then, and what an error), {@link io.maestro.git.internal.Checkout} (a
 * workspace gets what its branch reaches), {@link io.maestro.git.internal.StoryBranches} (what refs keep while a story is worked
 * on), {@link io.maestro.git.internal.SnapshotObjects} (what is not committed lies beside the mirror),
 * {@link io.maestro.git.internal.MirrorUpkeep} (what the mirror drops),
 * {@link io.maestro.git.internal.CommitTree} (what is read of a commit without a workspace), {@link io.maestro.git.internal.GitProcess} (when git
 * is stuck) and {@link io.maestro.git.internal.JGitGlobals} (what JGit does to the JVM).
 *
 * <p>Of a {@link io.maestro.git.internal.Workspace}, {@link io.maestro.git.internal.SnapshotReader} takes the snapshots and
 * {@link io.maestro.git.internal.AttemptBranch} commits and pushes them. What a snapshot holds is read by
 * {@link io.maestro.git.internal.WorkTreeReader}, and what it need not read
 * again is known by {@link io.maestro.git.internal.BlobCache}; {@link io.maestro.git.internal.rules.PathRules} says what git ignores and
 * which attributes files have; {@link io.maestro.git.internal.diff.LineDiff} bounds what it takes to compare texts;
 * {@link io.maestro.git.internal.SecretCheck} keeps secrets out of {@link io.maestro.git.internal.Workspace#commit}.
 */
@NullMarked
package io.maestro.git.internal;

import org.jspecify.annotations.NullMarked;
