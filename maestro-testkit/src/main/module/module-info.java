/**
 * For the tests of hosts and of those who implement an interface of Maestro. The contracts need JUnit and AssertJ; the
 * scripted model and {@code ToolTester} need neither.
 */
module io.maestro.testkit {
    requires com.fasterxml.jackson.databind;
    requires transitive io.maestro.core;
    requires static transitive org.jspecify;
    // For the stub of the Messages API only.
    requires static jdk.httpserver;
    requires static org.assertj.core;
    requires static org.junit.jupiter.api;
    requires static org.junit.jupiter.params;

    exports io.maestro.testkit;
    exports io.maestro.testkit.api;
    exports io.maestro.testkit.contract;

    opens io.maestro.testkit.contract;

    uses io.maestro.tools.ToolFactory;
    uses io.maestro.tools.ToolProvider;
}
