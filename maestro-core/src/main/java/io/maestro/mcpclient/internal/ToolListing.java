package io.maestro.mcpclient.internal;

import io.maestro.tools.InputSchema;

/**
 * A tool as a server offers it.
 *
 * @param tool the server's name for it
 * @param name Maestro's name for it
 * @param description for models
 * @param input its schema, as it was sent
 * @param pin by which it is known again
 */
record ToolListing(String tool, String name, String description, InputSchema input, Pin pin) {}
