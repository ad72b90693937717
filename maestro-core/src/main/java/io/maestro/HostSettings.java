package io.maestro;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.agent.ModelState;
import io.maestro.agents.AgentFactory;
import io.maestro.builtin.internal.project.ProjectPrograms;
import io.maestro.git.Forge;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.mcpclient.McpSource;
import io.maestro.runtime.ToolPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a host has set in code, of all that can be set in a file, too; null or empty where it has set nothing. Says what it may set. */
final class HostSettings {
    /** As the redactor has it; said here, where the host can see which call is wrong. */
    private static final int SHORTEST_SECRET = 6;

    @Nullable
    Path configFile;

    @Nullable
    String config;

    boolean readConfig = true;

    @Nullable
    Architect architect;

    Set<Architect.Kind> architectKinds = Set.of();
    Set<Architect.Kind> people = Set.of();
    Set<Architect.Kind> fourEyes = Set.of();

    @Nullable
    String repository;

    @Nullable
    String targetBranch;

    @Nullable
    String gitUserName;

    @Nullable
    String gitUserEmail;

    @Nullable
    Duration gitLocalTime;

    @Nullable
    Duration gitRemoteTime;

    @Nullable
    Boolean blockTokens;

    @Nullable
    Boolean conventionalCommits;

    @Nullable
    Boolean signCommits;

    @Nullable
    Boolean conflictGuidance;

    List<String> sparseDirectories = List.of();

    @Nullable
    Forge forge;

    @Nullable
    LlmClient coderModel;

    @Nullable
    LlmClient architectModel;

    @Nullable
    String coderMode;

    /** Wins over an id, as what is set in code wins over a file. */
    @Nullable
    AgentFactory coderModeFactory;

    @Nullable
    Integer maxCoders;

    @Nullable
    Limits limits;

    @Nullable
    PriceTable prices;

    final Map<ModelState, Double> temperatures = new EnumMap<>(ModelState.class);

    @Nullable
    String setupCommand;

    final HostCommands commands;

    final Set<String> passedOn = new LinkedHashSet<>();

    @Nullable
    Duration leaseTime;

    @Nullable
    Boolean discoverTools;

    @Nullable
    ToolPolicy policy;

    final Map<String, Duration> toolTimes = new HashMap<>();

    final Map<String, Integer> toolResults = new HashMap<>();

    final List<McpSource> mcpSources = new ArrayList<>();

    @Nullable
    Path promptDirectory;

    final Map<String, String> prompts = new HashMap<>();

    @Nullable
    Boolean repositoryInstructions;

    HostSettings(HostCommands commands) {
        this.commands = commands;
    }

    static double temperature(ModelState state, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("the temperature in " + state + " must be from 0 to 1, is " + value);
        }
        return value;
    }

    static int maxCoders(int count) {
        if (count < 1 || count > 999) {
            throw new IllegalArgumentException("maxCoders must be from 1 to 999, is " + count);
        }
        return count;
    }

    static Duration leaseTime(Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("leaseTime must be from 1 second to 1 day, is " + time);
        }
        return time;
    }

    static Duration gitTime(String name, Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " must be from 1 second to 1 day, is " + time);
        }
        return time;
    }

    static String command(String what, String line) {
        if (ProjectPrograms.isEmpty(line)) {
            throw new IllegalArgumentException("the " + what + " command must not be "
                    + (line.isBlank() ? "blank" : "'" + line + "', which runs nothing")
                    + ": give a command, or leave it out to have what the project's build file suggests");
        }
        return line;
    }

    static String variable(String name) {
        if (name.isBlank() || name.indexOf('=') >= 0) {
            throw new IllegalArgumentException("not a name of an environment variable: '" + name + "'");
        }
        return name;
    }

    static String secret(String value) {
        if (value.strip().length() < SHORTEST_SECRET) {
            throw new IllegalArgumentException("a secret of fewer than " + SHORTEST_SECRET
                    + " characters would be found everywhere; name a longer one");
        }
        return value;
    }

    /** A part of an identity as git writes it: {@code name <address>}. */
    static String identity(String what, String value) {
        if (value.isBlank() || value.chars().anyMatch(c -> c == '<' || c == '>' || Character.isISOControl(c))) {
            throw new IllegalArgumentException(
                    "the " + what + " in commits must not be blank or have '<', '>' or a line end, is '" + value + "'");
        }
        return value;
    }
}
