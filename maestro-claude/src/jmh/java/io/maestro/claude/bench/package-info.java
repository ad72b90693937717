/**
 * Benchmarks; see each class for its command.
 */
package io.maestro.claude.bench;
