/**
 * For the tests of programs that embed Maestro: a model that plays a script. It needs no test framework.
 */
@NullMarked
package io.maestro.testkit;

import org.jspecify.annotations.NullMarked;
