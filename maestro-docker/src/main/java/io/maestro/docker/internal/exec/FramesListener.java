package io.maestro.docker.internal.exec;

/** Hears what {@link FrameParser} finds. */
interface FramesListener {
    /** Bytes came; hands them to {@link FrameParser#accept} under its lock. */
    void received(FrameParser frames, byte[] chunk, int length);

    /** The stream has ended. */
    void ended(FrameParser frames);

    /** A command begins or is refused. */
    void started(String line);

    /** A command has probably ended, or the shell says something else. */
    void hinted(String line);

    /** A command's output is complete on this stream. */
    void finished(FrameParser frames, String line);
}
