/**
 * What tests with real containers share.
 */
@NullMarked
package io.maestro.docker.testing;

import org.jspecify.annotations.NullMarked;
