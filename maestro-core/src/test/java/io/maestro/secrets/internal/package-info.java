@NullMarked
package io.maestro.secrets.internal;

import org.jspecify.annotations.NullMarked;
