/**
 * Tools that run a command of the host's choice with arguments of the model's. {@code CommandTemplate} enforces that what a model
 * gives stays an argument: no shell sees it, and it does not become an option.
 */
@NullMarked
package io.maestro.command;

import org.jspecify.annotations.NullMarked;
