/**
 * The settings of a Maestro, in groups. {@link io.maestro.settings.Settings} has all of them: what code has set, else what the
 * configuration has, else the default. It is made once, by the builder of {@code Maestro}, and each part takes its group. The
 * settings for git are {@link io.maestro.git.GitOptions}, the limits {@link io.maestro.agent.Limits}.
 */
@NullMarked
package io.maestro.settings;

import org.jspecify.annotations.NullMarked;
