/**
 * What differs between texts and between trees, with bounds on the work: {@link io.maestro.git.internal.diff.TreeDiff} shows it,
 * {@link io.maestro.git.internal.diff.LineDiff} finds it. Must never know workspaces, branches or stories.
 */
@NullMarked
package io.maestro.git.internal.diff;

import org.jspecify.annotations.NullMarked;
