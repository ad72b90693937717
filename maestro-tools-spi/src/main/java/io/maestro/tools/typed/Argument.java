package io.maestro.tools.typed;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells a model about an argument: a component of a record, or a parameter of a {@link ToolMethod}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
public @interface Argument {
    /**
     * What it means. An example, the unit and the default help.
     *
     * @return text for the model
     */
    String value() default "";

    /**
     * Its name in the schema.
     *
     * @return 1 to 64 letters of ASCII, digits, {@code _}, {@code .} and {@code -}; the name in the source unless set
     */
    String name() default "";

    /**
     * The least number, characters of a text, or items of a list or set. Refused on other types.
     *
     * @return the bound, inclusive; unless set 1 for a text that must be given, else none
     */
    long min() default Long.MIN_VALUE;

    /**
     * The greatest number, or the most characters or items.
     *
     * @return the bound, inclusive; none unless set
     */
    long max() default Long.MAX_VALUE;
}
