/**
 * What is the same for every agent's state machine: a step, its row, failures, the wait for a service that is down, and being
 * stopped. Homes of rules: {@link io.maestro.team.internal.machine.StateMachine} (a change of state is in the record first),
 * {@link io.maestro.team.internal.machine.Outage} (the clock of an outage), and
 * {@link io.maestro.team.internal.machine.StopSignal} (why a thread was interrupted). Used by all other packages of the team; it
 * knows none of them, and no model.
 */
@NullMarked
package io.maestro.team.internal.machine;

import org.jspecify.annotations.NullMarked;
