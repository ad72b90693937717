/** How pull requests on GitHub are made and merged; see {@link io.maestro.git.github}. Not for users. */
@NullMarked
package io.maestro.git.github.internal;

import org.jspecify.annotations.NullMarked;
