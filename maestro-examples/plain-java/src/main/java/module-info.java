/** A host on the module path. SQLite and the SLF4J provider are found as services. */
module io.maestro.examples.plain {
    requires io.maestro.core;
}
