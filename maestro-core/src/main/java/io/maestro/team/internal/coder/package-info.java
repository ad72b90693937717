/**
 * The states of a coder, from SETUP to the merge. The home of what "tested" and "reviewed" refer to is
 * {@link io.maestro.team.internal.coder.ReviewedWork}; {@link io.maestro.team.internal.coder.StoryRun} is the only other writer
 * of a story's progress. Called by the dispatcher through
 * {@link io.maestro.team.internal.coder.StoryWork}; it must never know specifications, nor the programs that may work in the
 * place of a model.
 */
@NullMarked
package io.maestro.team.internal.coder;

import org.jspecify.annotations.NullMarked;
