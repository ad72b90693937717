/**
 * Recorded stories are played again, without a model. What the models answered and people decided comes from the record; commands and
 * git run for real, on the commit that the story began on.
 */
@NullMarked
package io.maestro.replay;

import org.jspecify.annotations.NullMarked;
