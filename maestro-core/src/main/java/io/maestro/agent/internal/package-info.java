/**
 * Notes that an agent keeps for itself in the record: its to-do list. Not for use from outside.
 */
@NullMarked
package io.maestro.agent.internal;

import org.jspecify.annotations.NullMarked;
