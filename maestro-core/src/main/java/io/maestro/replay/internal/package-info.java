/** What a replay is made of. */
@NullMarked
package io.maestro.replay.internal;

import org.jspecify.annotations.NullMarked;
