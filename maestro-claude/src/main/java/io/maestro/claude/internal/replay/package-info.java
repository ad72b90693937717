/** The Messages API with recorded answers, for replays. */
@NullMarked
package io.maestro.claude.internal.replay;

import org.jspecify.annotations.NullMarked;
