package io.maestro.team.internal.machine;

/** The work of one state. */
@FunctionalInterface
public interface StateHandler<S extends Enum<S>, R extends MachineRun<S>> {
    /**
     * Does the work of the state.
     *
     * @return where to go next; an exception leads to SUSPEND or ERROR
     */
    Next<S> handle(R run);
}
