/**
 * Secrets are found in text and redacted: {@link io.maestro.secrets.Redactor} is the one door.
 */
@NullMarked
package io.maestro.secrets;

import org.jspecify.annotations.NullMarked;
