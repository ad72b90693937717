/** What is different at GitHub. */
@NullMarked
package io.maestro.git.hosted.internal.github;

import org.jspecify.annotations.NullMarked;
