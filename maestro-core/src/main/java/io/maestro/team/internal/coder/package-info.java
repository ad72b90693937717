/**
 * The states of a coder, from SETUP to the merge. {@link io.maestro.team.internal.coder.StoryAttempt} is an attempt while it runs,
 * and alone writes its row. Called by the dispatcher through
 * {@link io.maestro.team.internal.coder.CoderAgent}; it must never know specifications, nor the programs that may work in the
 * place of a model.
 */
@NullMarked
package io.maestro.team.internal.coder;

import org.jspecify.annotations.NullMarked;
