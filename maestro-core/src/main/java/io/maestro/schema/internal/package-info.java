/**
 * Tool input: bounded reading of JSON, and validation against a JSON Schema. Not for use from outside.
 */
@NullMarked
package io.maestro.schema.internal;

import org.jspecify.annotations.NullMarked;
