package io.maestro.tools.typed;

import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method a tool, by {@link TypedTools#ofMethods}. Its parameters are the arguments; a {@link io.maestro.tools.ToolContext} or
 * {@link io.maestro.tools.ToolCall} among them is passed in and not seen by the model. What it throws becomes an error that the model
 * reads.
 *
 * <p>It returns nothing, a String, a {@link io.maestro.tools.ToolResult}, or data, which is written as JSON: a number, a boolean, an
 * enum, a record, a Map with names as keys, a Collection, or an Optional of one of these.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ToolMethod {
    /**
     * The tool's name.
     *
     * @return as {@link ToolDefinition#builder} takes it; the method's name unless set
     */
    String name() default "";

    /**
     * What the tool does and when to use it, for the model.
     *
     * @return not blank
     */
    String description();

    /**
     * Whether the tool changes nothing.
     *
     * @return false unless set; see {@link ToolDefinition#readOnly()}
     */
    boolean readOnly() default false;

    /**
     * Who is offered the tool.
     *
     * @return as {@link ToolDefinition#audiences()} unless set
     */
    ToolAudience[] audiences() default {};

    /**
     * How long a call may take.
     *
     * @return seconds, more than zero; 60 unless set
     */
    long seconds() default 60;
}
