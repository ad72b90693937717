/**
 * How secrets are found in text. One pass looks for the keywords of all rules at once; a rule looks at the text only where
 * one of its keywords stands. {@link io.maestro.audit.internal.redact.TokenForm} says which finds are certain, {@link
 * io.maestro.audit.internal.redact.SecretVariable} which variables of the environment hold secrets.
 */
@NullMarked
package io.maestro.audit.internal.redact;

import org.jspecify.annotations.NullMarked;
