package io.maestro;

import io.maestro.tools.ToolFactory;
import java.util.Collection;
import java.util.Objects;

/**
 * The setters for tools, which a team and an agent alone have in common. Hosts see them as the builder's own.
 *
 * @param <B> the builder
 */
abstract class ToolSetters<B> extends CommandSetters<B> {
    final HostTools tools = new HostTools();

    ToolSetters() {}

    /**
     * Adds tools, such as those of an object with annotated methods ({@link io.maestro.tools.typed.TypedTools}).
     *
     * @param factories make the tools
     * @return this
     */
    public B tools(Collection<? extends ToolFactory> factories) {
        factories.forEach(factory -> tools.add(Objects.requireNonNull(factory, "factory")));
        return self();
    }
}
