package io.maestro.agent;

/** The states of coders and architects in which a model is asked. */
public enum ModelState {
    /** A coder explores the workspace and writes a plan. */
    PLANNING,
    /** A coder changes the workspace. */
    CODING,
    /** The architect answers a coder: a question, a review, a merge. */
    ANSWERING,
    /** The architect makes stories of a specification. */
    SCOPING,
    /** The architect rewrites a story that has failed. */
    EDITING
}
