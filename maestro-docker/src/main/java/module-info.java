/** Containers for Maestro's agents, through the command line of docker or podman. */
module io.maestro.docker {
    requires transitive io.maestro.core;
    requires com.fasterxml.jackson.databind;
    requires org.slf4j;
    requires org.yaml.snakeyaml;
    requires static transitive org.jspecify;

    exports io.maestro.docker;

    provides io.maestro.environment.EnvironmentFactory with
            io.maestro.docker.DockerEnvironments;
}
