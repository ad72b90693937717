package io.maestro.tools;

/**
 * The service provider interface of a tool jar: describes one tool and makes it. List the class in
 * {@code META-INF/services/io.maestro.tools.ToolFactory}, and in {@code provides} where the jar has a module descriptor,
 * or give an instance to the builder of {@code Maestro}.
 *
 * <p>{@link #definition()} is called when a Maestro is built, without any context; {@link #create} is called at the first
 * use by an agent, so that a tool nobody calls costs nothing. Both may be called by several threads.
 */
public interface ToolFactory {
    /**
     * Describes the tool. The same on every call.
     *
     * @return the definition
     */
    ToolDefinition definition();

    /**
     * Makes the tool for one agent in one state.
     *
     * @param context what the tool may use
     * @return a new tool, or one that is shared and safe for use by several threads; {@link Tool#close} is called for each
     *     agent that has got it
     */
    Tool create(ToolContext context);

    /**
     * Whose tool it is: its jar is named when something is wrong, and a tool of the same name and class that is found once more is
     * passed over.
     *
     * @return this class, unless one class makes the tools of others
     */
    default Class<?> origin() {
        return getClass();
    }
}
