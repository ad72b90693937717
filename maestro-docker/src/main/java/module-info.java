/** Containers for Maestro's agents, through the docker command line. */
module io.maestro.docker {
    requires transitive io.maestro.core;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.maestro.docker;
}
