/**
 * Model and tools: a conversation, its compaction, the calls of tools, and what it costs. Homes of rules:
 * {@link io.maestro.team.internal.loop.ModelConversation} (what is sent is what is in the record, without secrets) and
 * {@link io.maestro.team.internal.loop.Meter} (tokens, cost and working time of a story). Called by whoever has a model work; it
 * knows stories by their ids only, and no states.
 */
@NullMarked
package io.maestro.team.internal.loop;

import org.jspecify.annotations.NullMarked;
