package io.maestro.docker.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The test shows what settings do, on a real engine: it would fail if they were read and forgotten. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Shows {
    /**
     * Settings of the configuration.
     *
     * @return paths below {@code container}, as {@code compose.enabled} or {@code hosts[].url}
     */
    String[] file() default {};

    /**
     * Settings in code.
     *
     * @return methods of the builder of {@code DockerEnvironments}, and of its groups, as {@code compose.enabled}
     */
    String[] code() default {};
}
