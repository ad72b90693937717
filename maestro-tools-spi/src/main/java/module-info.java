/**
 * What the author of a Maestro tool jar needs, and nothing else: the tool types, the executor through which a tool runs
 * commands, and the root exception. It depends on no library but the JSpecify annotations, which are not needed at run
 * time.
 */
module io.maestro.tools.spi {
    requires static transitive org.jspecify;

    exports io.maestro.error;
    exports io.maestro.exec;
    exports io.maestro.tools;
    exports io.maestro.tools.typed;
}
