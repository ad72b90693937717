/** What {@code .gitignore} and {@code .gitattributes} say of a path: read as git reads them, and nothing that they name is run. */
@NullMarked
package io.maestro.git.internal.rules;

import org.jspecify.annotations.NullMarked;
