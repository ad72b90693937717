/**
 * How secrets are found in text. One pass looks for the keywords of all rules at once; a rule looks at the text only where
 * one of its keywords stands. {@link io.maestro.secrets.internal.TokenForm} says which finds are certain, {@link
 * io.maestro.secrets.internal.SecretVariable} which variables of the environment hold secrets.
 */
@NullMarked
package io.maestro.secrets.internal;

import org.jspecify.annotations.NullMarked;
