@NullMarked
package io.maestro.web.internal;

import org.jspecify.annotations.NullMarked;
