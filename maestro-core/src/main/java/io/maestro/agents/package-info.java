/**
 * Who does a coder's thinking: Maestro's own loop around a model, or a program such as the Claude Code CLI that another module
 * brings.
 */
@NullMarked
package io.maestro.agents;

import org.jspecify.annotations.NullMarked;
