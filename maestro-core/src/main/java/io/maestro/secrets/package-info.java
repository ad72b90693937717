/**
 * Finds secrets in text and redacts them: {@link io.maestro.secrets.Redactor} is the one door, and {@link
 * io.maestro.secrets.CleanText} alone says that a text was scanned and by which knowledge.
 */
@NullMarked
package io.maestro.secrets;

import org.jspecify.annotations.NullMarked;
