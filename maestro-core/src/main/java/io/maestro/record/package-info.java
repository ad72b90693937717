/**
 * The record of all that was done: stories, messages, tool calls, decisions, costs. {@link io.maestro.record.AuditLog} reads it, {@link
 * io.maestro.record.Cancellations} asks a process that shares it to end a story.
 */
@NullMarked
package io.maestro.record;

import org.jspecify.annotations.NullMarked;
