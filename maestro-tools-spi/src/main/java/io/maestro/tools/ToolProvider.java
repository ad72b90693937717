package io.maestro.tools;

import java.util.List;

/**
 * The service provider interface of a jar with several tools, for example the annotated methods of one object. List the class in
 * {@code META-INF/services/io.maestro.tools.ToolProvider}, and in {@code provides} where the jar has a module descriptor.
 */
@FunctionalInterface
public interface ToolProvider {
    /**
     * The tools, each as if it were announced alone. Called when a Maestro is built.
     *
     * @return their factories; one that is broken does not stop the others
     */
    List<ToolFactory> tools();
}
