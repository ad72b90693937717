/**
 * Maestro at a shell: runs stories, and shows and answers what waits for people.
 */
package io.maestro.examples.cli;
