/**
 * What waits for people: questions, plans, changes, budgets, merges and calls of tools on which they decide. Its invariants, and who
 * holds them:
 *
 * <ul>
 *   <li>Of all answers to a request exactly one counts, whichever way and process they come by, and a person is one
 *       however the name is written ({@code record.internal.DecisionRequests}).
 *   <li>Below a proposal each request is asked once and each comment counts or is replied to once, whatever is lost and whoever
 *       goes on; what is edited, older, or by somebody without the right to write never counts ({@code internal.CommentDesk}).
 *       What fails with one keeps no other from its turn ({@code internal.SingleFailures}).
 *   <li>What is written there has no secrets, and texts of agents and people are in fences ({@link
 *       io.maestro.git.internal.text.ForgeText}).
 * </ul>
 */
@NullMarked
package io.maestro.inbox;

import org.jspecify.annotations.NullMarked;
