/**
 * Where agents' commands run: the interface between a team and what provides sandboxes for it, such as the module
 * maestro-docker.
 */
@NullMarked
package io.maestro.environment;

import org.jspecify.annotations.NullMarked;
