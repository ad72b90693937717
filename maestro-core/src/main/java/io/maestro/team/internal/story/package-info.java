/**
 * A story as the record has it: its row, and how far an attempt has come. Homes of rules:
 * {@link io.maestro.team.internal.story.StoryRows} (how a row is made and what it says) and
 * {@link io.maestro.team.internal.story.ReviewedWork} (what "tested" and "reviewed" refer to). Each part of
 * {@link io.maestro.team.internal.story.StoryProgress} is written by its own methods alone. Used by whoever works on stories; it
 * must never know who does that.
 */
@NullMarked
package io.maestro.team.internal.story;

import org.jspecify.annotations.NullMarked;
