/**
 * Requests to whoever decides: the model's architect, or the host's. Homes of rules:
 * {@link io.maestro.team.internal.architect.Effects} (a request and its reply are in the record before they have consequences,
 * nobody is shown a secret, and a wait that is long parks the story) and {@link io.maestro.team.internal.architect.ToolApprovals}
 * (an approval is for one call). Called by coders and specifications; it must never know a
 * coder's states.
 */
@NullMarked
package io.maestro.team.internal.architect;

import org.jspecify.annotations.NullMarked;
