@NullMarked
package io.maestro.audit.internal.redact;

import org.jspecify.annotations.NullMarked;
