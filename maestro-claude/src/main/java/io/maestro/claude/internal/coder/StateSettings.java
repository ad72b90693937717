package io.maestro.claude.internal.coder;

import java.util.List;

/**
 * What holds in PLANNING, or in CODING.
 *
 * @param model the model's name as the CLI takes it
 * @param tools all tools of the CLI's own that the model is offered, by their names
 */
public record StateSettings(String model, List<String> tools) {}
