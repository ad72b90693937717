package io.maestro.claude.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The test shows that something still holds of the real CLI on which the library relies. {@code .ci/claude-drift} runs all of
 * these with any version and names the facts that no longer hold. The short tier runs some with the oldest supported version, on
 * which all were measured and which does not change; the full tier runs all with the newest one, except those that have the tag
 * {@code drift-only}, which wait for minutes or run both versions by themselves. What a newer version does otherwise a test knows by {@link RealClaude#isOldest}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("fact")
@ExtendWith(FactReport.class)
public @interface Fact {
    /**
     * The fact.
     *
     * @return in a few words, behind what it is about and a colon
     */
    String value();
}
