package io.maestro.story;

/** The states of an architect that turns a specification into merged work; {@code ArchitectTransitions} says which may follow which. */
public enum ArchitectState {
    /** The specification has come in. */
    WAITING,
    /** The architect reads the specification and the repository, and submits stories. */
    SCOPING,
    /** The stories are given to the coders, in the order of their dependencies. */
    DISPATCHING,
    /** Coders work; the architect waits for stories that end. */
    MONITORING,
    /** A story has failed; the architect rewrites it or gives it up. */
    EDITING,
    /** The model's service is down; all is kept and it is asked again later. */
    SUSPEND,
    /** The end: every story is done, or given up. */
    DONE,
    /** The end: no stories could be made of it, or it was cancelled. */
    ERROR;

    /**
     * Whether the state is an end.
     *
     * @return true for {@link #DONE} and {@link #ERROR}
     */
    public boolean isFinal() {
        return this == DONE || this == ERROR;
    }
}
