/** What agents run in the background. */
@NullMarked
package io.maestro.builtin.internal.jobs;

import org.jspecify.annotations.NullMarked;
