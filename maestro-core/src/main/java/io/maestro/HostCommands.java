package io.maestro;

import org.jspecify.annotations.Nullable;

/** The commands of a project that a host has set in code; null where it has set none. */
final class HostCommands {
    @Nullable
    String build;

    @Nullable
    String lint;

    @Nullable
    String test;
}
