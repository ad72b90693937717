package io.maestro.docker.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests need a container engine and the images {@code maestro-test/debian} and {@code maestro-test/busybox}. Without
 * an engine they are skipped, with one line that says so; with {@code -Dmaestro.docker.required=true} they fail.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("engine")
@ExtendWith(EngineCondition.class)
public @interface RequiresEngine {
    /**
     * The program that asks the engine.
     *
     * @return {@code docker}, {@code podman} or {@code podman-rootless}
     */
    String value() default "docker";
}
