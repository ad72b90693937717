package io.maestro.examples.boot;

import io.maestro.MaestroBuilder;

/** A bean of the application that sets what has no property, such as containers, a person as the architect, or tools. */
@FunctionalInterface
public interface MaestroBuilderCustomizer {
    /**
     * Changes the settings; called after those of the properties are made.
     *
     * @param builder the settings so far
     */
    void customize(MaestroBuilder builder);
}
