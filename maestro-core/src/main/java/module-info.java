/** Maestro itself: agents, stories, models, git, the record. */
@SuppressWarnings("module") // The modules that internal packages are exported to are compiled after this one.
module io.maestro.core {
    requires transitive io.maestro.tools.spi;
    requires com.fasterxml.jackson.databind;
    requires com.networknt.schema;
    requires com.samskivert.jmustache;
    requires transitive java.net.http;
    requires transitive java.sql;
    requires org.eclipse.jgit;
    requires org.slf4j;
    requires org.zeroturnaround.exec;
    requires static transitive org.jspecify;

    exports io.maestro;
    exports io.maestro.agent;
    exports io.maestro.agent.spi;
    exports io.maestro.chat;
    exports io.maestro.command;
    exports io.maestro.environment;
    exports io.maestro.event;
    exports io.maestro.exec.local;
    exports io.maestro.git;
    exports io.maestro.git.hosted;
    exports io.maestro.inbox;
    exports io.maestro.llm;
    exports io.maestro.llm.langchain4j;
    exports io.maestro.llm.resilience;
    exports io.maestro.mcpclient;
    exports io.maestro.record;
    exports io.maestro.replay;
    exports io.maestro.report;
    exports io.maestro.runtime;
    exports io.maestro.secrets;
    exports io.maestro.settings;
    exports io.maestro.story;
    exports io.maestro.telemetry;
    exports io.maestro.telemetry.otel;
    exports io.maestro.web;
    exports io.maestro.builtin.internal to
            io.maestro.testkit;
    exports io.maestro.config.internal to
            io.maestro.docker,
            io.maestro.claude;
    exports io.maestro.exec.internal to
            io.maestro.docker,
            io.maestro.claude;
    exports io.maestro.files.internal to
            io.maestro.docker,
            io.maestro.claude;
    exports io.maestro.git.internal.sync to
            io.maestro.docker;
    exports io.maestro.internal to
            io.maestro.docker,
            io.maestro.claude;
    exports io.maestro.llm.internal to
            io.maestro.claude,
            io.maestro.testkit;
    exports io.maestro.project.internal to
            io.maestro.testkit;
    exports io.maestro.runtime.internal to
            io.maestro.testkit;
    exports io.maestro.schema.internal to
            io.maestro.docker;
    exports io.maestro.secrets.internal to
            io.maestro.docker;
    exports io.maestro.wire.internal to
            io.maestro.claude;

    opens io.maestro.record.internal to
            com.fasterxml.jackson.databind;
    opens io.maestro.inbox.internal to
            com.fasterxml.jackson.databind;
    opens io.maestro.report.internal to
            com.fasterxml.jackson.databind;
    opens io.maestro.team.internal.spec to
            com.fasterxml.jackson.databind;
    opens io.maestro.team.internal.story to
            com.fasterxml.jackson.databind;

    uses io.maestro.agent.spi.AgentFactory;
    uses io.maestro.environment.EnvironmentFactory;
    uses io.maestro.tools.ToolFactory;
    uses io.maestro.tools.ToolProvider;
}
