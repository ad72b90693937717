/**
 * Stories as a tool call submits them. Not for use from outside.
 */
@NullMarked
package io.maestro.story.internal;

import org.jspecify.annotations.NullMarked;
