package io.maestro.project.internal;

/** The build files of one directory, which agents can write: what is read is bounded, and no link is followed. */
public interface ProjectFiles {
    /** Whether there is a regular file of that name. */
    boolean has(String name);

    /** The beginning of a file; empty when there is none, or it cannot be read. */
    String text(String name);
}
