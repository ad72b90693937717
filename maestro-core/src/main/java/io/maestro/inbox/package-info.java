/**
 * What waits for people: questions, plans, changes, budgets, merges and calls of tools on which they decide.
 */
@NullMarked
package io.maestro.inbox;

import org.jspecify.annotations.NullMarked;
