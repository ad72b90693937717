package io.maestro.team.internal.spec;

import io.maestro.team.internal.loop.LoopContext;
import io.maestro.team.internal.loop.Meter;

/**
 * The architect's conversation in SCOPING or EDITING.
 *
 * @param context its conversation and tools
 * @param meter what it has cost
 */
record SpecConversation(LoopContext context, Meter meter) {}
