package io.maestro.claude.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests need the real Claude Code CLI; see {@link RealClaude} for where it is looked for. Without it they are skipped,
 * with one line that says so; with {@code -Dmaestro.claude.required=true} they fail.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(ClaudeCondition.class)
public @interface RequiresClaude {}
