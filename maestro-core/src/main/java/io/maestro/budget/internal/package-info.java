/**
 * Money is bounded: {@link io.maestro.budget.internal.CostControl} lets no request to a model be sent before what it may cost at
 * most is reserved, over all processes that share a record; nothing else in Maestro asks a model.
 */
@NullMarked
package io.maestro.budget.internal;

import org.jspecify.annotations.NullMarked;
