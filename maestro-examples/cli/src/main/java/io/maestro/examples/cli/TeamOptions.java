package io.maestro.examples.cli;

import io.maestro.MaestroBuilder;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** For the commands that work with a team. */
final class TeamOptions {
    @Mixin
    ProjectOptions project;

    @Option(
            names = "--monitor",
            arity = "0..1",
            fallbackValue = "0",
            paramLabel = "PORT",
            description = "Serves a page to watch and steer; its address is printed. Default port: any that is free.")
    private Integer monitor;

    /** For picocli. */
    TeamOptions() {}

    /** A team with the settings of the project's file. */
    MaestroBuilder builder() {
        project.makeDirectory();
        MaestroBuilder builder = project.builder();
        return monitor == null ? builder : builder.monitor(monitor);
    }
}
