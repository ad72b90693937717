/** The demo: one story on a real repository, from WAITING to DONE. */
module io.maestro.examples.demo {
    requires com.fasterxml.jackson.databind;
    requires info.picocli;
    requires io.maestro.claude;
    requires io.maestro.core;
    requires io.maestro.docker;
    requires io.maestro.testkit;
    requires jdk.httpserver;

    opens io.maestro.examples.demo to
            info.picocli;
}
