/**
 * What a project is built with, by its build files, and what the output of its build tools says. Each of these is known by one
 * class: {@code BuildFiles} suggests commands, {@code FailureLines} finds what is wrong, {@code KeptOutput} makes pages. Not an
 * API.
 */
@NullMarked
package io.maestro.project.internal;

import org.jspecify.annotations.NullMarked;
