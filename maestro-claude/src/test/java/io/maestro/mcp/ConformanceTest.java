package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.testing.Full;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The public conformance suite, with every scenario that it has for servers. {@code .ci/mcp-conformance} puts it where it is
 * looked for.
 */
class ConformanceTest {
    /** What the other scenarios are about, which this server does not offer. */
    private static final Map<String, String> NOT_TOOLS = Map.ofEntries(
            Map.entry("logging-set-level", "logging"),
            Map.entry("tools-call-with-logging", "logging"),
            Map.entry("completion-complete", "completion"),
            Map.entry("tools-call-sampling", "sampling"),
            Map.entry("tools-call-elicitation", "elicitation"),
            Map.entry("elicitation-", "elicitation"),
            Map.entry("input-required-result-", "elicitation, sampling, roots"),
            Map.entry("resources-", "resources"),
            Map.entry("sep-2164-resource-not-found", "resources"),
            Map.entry("prompts-", "prompts"),
            Map.entry("caching", "its checks of resources and prompts"),
            Map.entry("sep-2640-skills-", "an extension"),
            Map.entry("tasks-", "an extension"),
            Map.entry("server-sse-polling", "resuming a stream"));

    /** Checks of scenarios about the protocol itself that want a tool which asks the client for a sampling. */
    private static final Set<String> NEED_SAMPLING =
            Set.of("sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400");

    /** Checks about tools, in scenarios that are also about something else. */
    private static final String OWN_CHECKS = "sep-2549-tools-list";

    @TempDir
    Path results;

    @ParameterizedTest
    @ValueSource(strings = "2026-07-28")
    void noScenarioAboutToolsFails(String version) throws Exception {
        Path suite = suite();
        McpServer server = McpServer.builder(new ConformanceTools())
                .progressInterval(Duration.ofMillis(50))
                .build();
        try (server;
                TokenProxy proxy = new TokenProxy(server.http(InetAddress.getLoopbackAddress()))) {
            run(suite, version, proxy.url());
        }

        Map<String, List<String>> failures = new TreeMap<>();
        try (Stream<Path> files = Files.walk(results)) {
            for (Path file : files.filter(path -> path.endsWith("checks.json")).toList()) {
                failures.put(scenario(file), failures(file));
            }
        }
        List<String> failed = new ArrayList<>();
        failures.forEach((scenario, faults) -> {
            String about = NOT_TOOLS.entrySet().stream()
                    .filter(entry -> scenario.startsWith(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse("");
            List<String> own = faults.stream()
                    .filter(fault -> about.isEmpty() || fault.startsWith(OWN_CHECKS))
                    .filter(fault -> !NEED_SAMPLING.contains(fault.split(":", 2)[0]))
                    .toList();
            String verdict = faults.isEmpty()
                    ? "passed"
                    : !own.isEmpty()
                            ? "FAILED"
                            : about.isEmpty()
                                    ? "passed, but for " + faults.size() + " checks of a tool that needs sampling"
                                    : "not tools (" + about + ")";
            System.out.printf("MCP conformance %s %-50s %s%n", version, scenario, verdict);
            if (verdict.equals("FAILED")) {
                failed.add(scenario + ": " + own);
            }
        });
        assertThat(failed).isEmpty();
        assertThat(failures.keySet())
                .contains("tools-list", "tools-call-simple-text", "tools-call-error", "tools-call-with-progress")
                .contains(version.startsWith("2026") ? "server-stateless" : "server-initialize");
    }

    @Test
    @Full("noScenarioAboutToolsFails has the newer version of the protocol")
    void noScenarioAboutToolsFailsWithTheOlderVersion() throws Exception {
        noScenarioAboutToolsFails("2025-11-25");
    }

    private static Path suite() {
        String cache = System.getenv().getOrDefault("MAESTRO_CI_CACHE", "/var/cache/maestro-ci");
        Path suite = Path.of(cache, "mcp-conformance");
        boolean there = Files.exists(suite.resolve("installed"));
        if (Boolean.getBoolean("maestro.claude.required")) {
            assertThat(there).as("run .ci/mcp-conformance first").isTrue();
        }
        assumeTrue(there, "the suite is not there; run .ci/mcp-conformance");
        return suite.resolve("node_modules");
    }

    private void run(Path modules, String version, String url) throws IOException, InterruptedException {
        Path log = results.resolve("log.txt");
        Process process = new ProcessBuilder(
                        modules.resolve(".bin/node").toString(),
                        modules.resolve("@modelcontextprotocol/conformance/dist/index.js")
                                .toString(),
                        "server",
                        "--url",
                        url,
                        "--suite",
                        "all",
                        "--spec-version",
                        version,
                        "--output-dir",
                        results.resolve("out").toString())
                .directory(results.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            // It ends with an error when any scenario has failed, also one that is not about tools.
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The directory is called server-SCENARIO-TIME. */
    private static String scenario(Path checks) {
        return checks.getName(checks.getNameCount() - 2)
                .toString()
                .replaceFirst("^server-", "")
                .replaceFirst("-\\d{4}-\\d{2}-\\d{2}T.*$", "");
    }

    private static List<String> failures(Path checks) throws IOException {
        List<String> failures = new ArrayList<>();
        for (JsonNode check : Messages.read(Files.readString(checks))) {
            if (check.path("status").asText().equals("FAILURE")) {
                failures.add(check.path("id").asText() + ": "
                        + check.path("errorMessage").asText());
            }
        }
        return failures;
    }
}
