/**
 * How replies stand in the record.
 */
@NullMarked
package io.maestro.inbox.internal;

import org.jspecify.annotations.NullMarked;
