package io.maestro.runtime.internal;

import io.maestro.runtime.ToolPolicy;
import java.util.Collection;
import java.util.List;

/** A policy that names tools, so that names that no tool has can be found. */
public interface CheckedPolicy extends ToolPolicy {
    /**
     * Finds names that no tool has: misspelt, perhaps, and then without effect.
     *
     * @param tools the tools there are
     * @return what to say of each, for the host
     */
    List<String> unknown(Collection<String> tools);
}
