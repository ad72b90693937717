/**
 * What became of stories and specifications, for people to read and for programs.
 */
@NullMarked
package io.maestro.report;

import org.jspecify.annotations.NullMarked;
