/**
 * What comes from the other side, with limits: connections, lines, HTTP and JSON. Nothing here trusts a byte, and nothing is kept
 * that was not counted first.
 */
@NullMarked
package io.maestro.wire.internal;

import org.jspecify.annotations.NullMarked;
