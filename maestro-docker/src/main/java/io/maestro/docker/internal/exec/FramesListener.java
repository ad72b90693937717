package io.maestro.docker.internal.exec;

/** Hears what {@link Frames} finds. */
interface FramesListener {
    /** Bytes came; hands them to {@link Frames#accept} under its lock. */
    void received(Frames frames, byte[] chunk, int length);

    /** The stream has ended. */
    void ended(Frames frames);

    /** A command begins or is refused. */
    void started(String line);

    /** A command has probably ended, or the shell says something else. */
    void hinted(String line);

    /** A command's output is complete on this stream. */
    void finished(Frames frames, String line);
}
