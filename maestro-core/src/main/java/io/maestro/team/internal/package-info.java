/** Puts a team together from its parts, which are the packages below; not an API. It is called by the builder of Maestro. */
@NullMarked
package io.maestro.team.internal;

import org.jspecify.annotations.NullMarked;
