@NullMarked
package io.maestro.record.internal;

import org.jspecify.annotations.NullMarked;
