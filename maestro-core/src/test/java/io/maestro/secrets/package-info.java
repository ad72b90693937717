@NullMarked
package io.maestro.secrets;

import org.jspecify.annotations.NullMarked;
