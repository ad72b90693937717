package io.maestro.tools;

/** What a tool says while it runs, to those who watch or wait for it. Safe for use by several threads. */
@FunctionalInterface
public interface ToolProgress {
    /** Tells nobody. */
    ToolProgress NOBODY = step -> {};

    /** How many characters of a step are told. */
    int MOST_CHARACTERS = 300;

    /**
     * Says how far the call is, for example {@code image: installed now}. It goes to the host's listeners, and to a client of MCP
     * that has asked for it; models and the record do not get it. Does nothing when the call has ended.
     *
     * @param step a few words; its first line is told, without secrets, at most {@value #MOST_CHARACTERS} characters
     */
    void step(String step);
}
