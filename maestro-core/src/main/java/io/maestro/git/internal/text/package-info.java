/**
 * What others have written, on forges and in commits. Its invariant: a text of an agent, a test or a stranger is never Maestro's own
 * voice nor a command there ({@link io.maestro.git.internal.text.ForgeText}).
 */
@NullMarked
package io.maestro.git.internal.text;

import org.jspecify.annotations.NullMarked;
