/**
 * The states of an architect that takes a specification to merged work: making stories, watching them, rewriting those that
 * have failed. Called by the host; it reaches coders through {@link io.maestro.team.internal.dispatch.StoryDispatch} only.
 */
@NullMarked
package io.maestro.team.internal.spec;

import org.jspecify.annotations.NullMarked;
