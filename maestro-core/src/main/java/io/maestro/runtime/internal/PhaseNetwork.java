package io.maestro.runtime.internal;

import io.maestro.environment.Phase;
import io.maestro.tools.NetworkAccess;

/** What the commands of agents reach over the network. Safe for use by several threads. */
@FunctionalInterface
public interface PhaseNetwork {
    /** What they reach in a phase. */
    NetworkAccess of(Phase phase);
}
