/** The tools by which a coder looks at its container and changes it. */
@NullMarked
package io.maestro.docker.internal.tools;

import org.jspecify.annotations.NullMarked;
