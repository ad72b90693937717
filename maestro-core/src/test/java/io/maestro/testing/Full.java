package io.maestro.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** Tests that {@code mvn verify} leaves out and {@code mvn -Pfull verify} runs. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("full")
public @interface Full {
    /**
     * Why the short tier can do without.
     *
     * @return what takes the time, or which test there finds the same faults
     */
    String value();
}
