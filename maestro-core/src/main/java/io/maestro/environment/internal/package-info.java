/**
 * Environments on the machine itself: an executor on each workspace, without a sandbox. Used by whoever builds a Maestro; knows
 * neither stories nor git.
 */
@NullMarked
package io.maestro.environment.internal;

import org.jspecify.annotations.NullMarked;
