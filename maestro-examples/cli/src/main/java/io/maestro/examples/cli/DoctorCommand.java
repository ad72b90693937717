package io.maestro.examples.cli;

import io.maestro.claude.ClaudeFinder;
import io.maestro.docker.DockerHost;
import io.maestro.docker.Preflight;
import io.maestro.docker.PreflightReport;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Spec;

/** {@code maestro doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Looks at what Maestro uses on this machine, and at the project's settings, and changes nothing. Fails where a"
                        + " story would.")
final class DoctorCommand implements Callable<Integer> {
    private static final String OLDEST_GIT = "2.38";

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

    /** Never their values. */
    private static final List<String> KEYS = List.of(
            "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "GITEA_SERVER_TOKEN");

    @Mixin
    private ProjectOptions project;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    private final List<Map<String, String>> findings = new ArrayList<>();

    @Override
    public Integer call() {
        find("java", "OK", Runtime.version().toString());
        git();
        engine("docker");
        engine("podman");
        claude();
        for (String key : KEYS) {
            find(key, "INFORMATION", System.getenv(key) == null ? "not set" : "set");
        }
        project();
        PrintWriter out = spec.commandLine().getOut();
        if (project.json) {
            out.println(Output.json(findings));
        } else {
            findings.forEach(one -> out.printf(
                    "%-12s %-22s %s%n", one.get("status"), one.get("subject"), Output.line(one.get("detail"))));
        }
        return findings.stream().anyMatch(one -> one.get("status").equals("FAILED")) ? MaestroCommand.FAILED : 0;
    }

    private void find(String subject, String status, String detail) {
        Map<String, String> finding = new LinkedHashMap<>();
        finding.put("subject", subject);
        finding.put("status", status);
        finding.put("detail", detail);
        findings.add(finding);
    }

    private void git() {
        String version = version("git");
        if (version.isEmpty()) {
            find("git", "FAILED", "no program git is found; install git " + OLDEST_GIT + " or later");
        } else {
            find(
                    "git",
                    isOlder(version, OLDEST_GIT) ? "FAILED" : "OK",
                    version + ", needed is " + OLDEST_GIT + " or later");
        }
    }

    /** Containers are optional: what is missing there is no failure. */
    private void engine(String program) {
        if (version(program).isEmpty()) {
            find(program, "INFORMATION", "not found; agents can work without containers");
            return;
        }
        PreflightReport report =
                Preflight.of(DockerHost.builder().program(program).build());
        report.findings()
                .forEach(finding -> find(
                        program + " " + finding.subject().name().toLowerCase(Locale.ROOT),
                        finding.status() == PreflightReport.Status.FAILED
                                ? "WARNING"
                                : finding.status().name(),
                        finding.detail()
                                + finding.guidance().map(text -> " -> " + text).orElse("")));
    }

    private void claude() {
        String version = version("claude");
        if (version.isEmpty()) {
            find("claude", "INFORMATION", "not found; only the coder mode claude-code needs it");
        } else {
            boolean old = isOlder(version, ClaudeFinder.MEASURED_VERSION);
            find(
                    "claude",
                    old ? "WARNING" : "OK",
                    version + ", measured with " + ClaudeFinder.MEASURED_VERSION + " and later");
        }
    }

    /** What a story needs before one is paid; only where there are settings. */
    private void project() {
        if (!Files.exists(project.settings())) {
            project.misplaced()
                    .ifPresentOrElse(
                            text -> find("project", "FAILED", text),
                            () -> find("project", "INFORMATION", "no project here: " + project.missing()));
            return;
        }
        try {
            project.builder()
                    .check()
                    .findings()
                    .forEach(finding -> find(
                            "project " + finding.subject().name().toLowerCase(Locale.ROOT),
                            finding.status().name(),
                            finding.detail()
                                    + finding.remedy()
                                            .map(text -> " -> " + text)
                                            .orElse("")));
        } catch (MaestroException e) {
            find("project", "FAILED", String.valueOf(e.getMessage()));
        }
    }

    /** Empty where there is no such program. */
    private static String version(String program) {
        try {
            ExecResult result = LocalExecutor.builder(Path.of("").toAbsolutePath())
                    .build()
                    .run(ExecRequest.command(program, "--version")
                            .timeLimit(Duration.ofSeconds(20))
                            .build());
            Matcher version = VERSION.matcher(result.stdout().text());
            return result.exitCode().orElse(-1) == 0 && version.find() ? version.group() : "";
        } catch (ExecException e) {
            return "";
        }
    }

    private static boolean isOlder(String version, String oldest) {
        Matcher own = VERSION.matcher(version);
        Matcher other = VERSION.matcher(oldest);
        if (!own.find() || !other.find()) {
            return false;
        }
        for (int part = 1; part <= 3; part++) {
            int difference = number(own.group(part)) - number(other.group(part));
            if (difference != 0) {
                return difference < 0;
            }
        }
        return false;
    }

    private static int number(String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }
}
