package io.maestro.docker.internal.sandbox.tool;

import io.maestro.docker.ContainerRules;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * How the tool is described. Its schema is flat, since the Messages API of Anthropic takes no {@code oneOf} at the top of a
 * tool's schema; which parameters go with which operation is checked by {@link Operation#require}.
 */
public final class ContainersDefinition {
    /** The longest that a command may take, and so that a call may. */
    static final int MOST_SECONDS = 3600;

    private static final Map<String, Object> TEXTS = Map.of("type", "string");

    private ContainersDefinition() {}

    /** For whoever works alone, or over MCP. */
    static ToolDefinition of(ContainerRules rules) {
        return builder(rules).usage(text("awareness.md")).build();
    }

    /** For agents that work in containers themselves. */
    public static ToolDefinition ofAgents(ContainerRules rules) {
        return builder(rules)
                .agentOnly()
                .usage(text("awareness.md") + text("agents.md"))
                .build();
    }

    private static ToolDefinition.Builder builder(ContainerRules rules) {
        return ToolDefinition.builder("containers")
                .description("Makes and uses isolated containers: to try a repository, to have a clean environment of a"
                        + " language, to run services beside the work, or what takes long. Operations: "
                        + Arrays.stream(Operation.values())
                                .map(operation -> operation.word() + " (" + operation.does() + ")")
                                .collect(Collectors.joining(", ")))
                .input(schema -> properties(schema, rules))
                .pathArguments("host_path", "compose_file", "mounts.host")
                .offeredTo(ToolAudience.CODER_CODING)
                .timeLimit(Duration.ofSeconds(MOST_SECONDS + 300));
    }

    /** One of the guides. */
    static String text(String name) {
        try (InputStream in = ContainersDefinition.class.getResourceAsStream("/io/maestro/docker/containers/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void properties(InputSchema.Builder schema, ContainerRules rules) {
        schema.required("operation", Property.oneOf("What to do", Operation.words()));
        add(schema, "container", Property.string("Name of a container that create made"));
        add(
                schema,
                "name",
                Property.string("Lower-case letters, digits and dashes; in create one is chosen where none is given"));
        add(
                schema,
                "purpose",
                Property.oneOf(
                        "What it is for: image, installed programs and caches follow from it",
                        rules.purposes().keySet().stream().sorted().toArray(String[]::new)));
        add(schema, "image", Property.string("Image in place of the purpose's"));
        add(schema, "repo_url", Property.string("URL of the repository to try, with purpose try-repo"));
        add(schema, "command", Property.string("Line for sh, of any text").minLength(1));
        add(schema, "timeout", Property.integer("Seconds; default 300").between(1, MOST_SECONDS));
        add(schema, "as_root", Property.bool("Run as root, where that is allowed"));
        add(schema, "workdir", Property.string("Absolute path in the container; default /workspace"));
        add(schema, "job_id", Property.string("What exec_background returned"));
        add(
                schema,
                "offset",
                Property.integer("Byte of the output from which on it is given; default 0")
                        .with("minimum", 0));
        add(schema, "mount_cwd", Property.bool("Mount the workspace at workdir; default false"));
        add(
                schema,
                "mounts",
                Property.array(
                        "Directories that are mounted",
                        Property.object(
                                "",
                                item -> item.requiredString(
                                                "host",
                                                "Path of the host, where that is allowed: . for the workspace, else absolute")
                                        .requiredString("container", "Absolute path in the container")
                                        .optionalBoolean("read_only", "Default true"))));
        add(
                schema,
                "ports",
                Property.array(
                        "Ports that are published on the host's loopback address",
                        Property.object(
                                "",
                                item -> item.requiredInteger("container", "Port in the container")
                                        .optionalInteger("host", "Port of the host; default one that is free"))));
        add(schema, "env", map("Variables of its commands, by name"));
        add(
                schema,
                "env_passthrough",
                Property.string("")
                        .with("type", List.of("string", "array"))
                        .with("items", TEXTS)
                        .with(
                                "description",
                                "Variables of the host: auto (keys, tokens and proxies), none, all, or a list of names."
                                        + " Their values are never shown"));
        add(
                schema,
                "forward_git",
                Property.bool("Name and address of the host's git; default true, but for clean and try-repo"));
        add(
                schema,
                "forward_gh",
                Property.bool("The host's token for GitHub; default true, but for clean and try-repo"));
        add(schema, "forward_ssh", Property.bool("The host's SSH agent; default false"));
        add(schema, "dotfiles_repo", Property.string("URL of a repository of dotfiles"));
        add(schema, "dotfiles_inline", map("Texts by paths below the home directory"));
        add(
                schema,
                "repos",
                Property.array(
                        "Repositories that are cloned",
                        Property.object(
                                "",
                                item -> item.requiredString("url", "URL")
                                        .optionalString("path", "Absolute path; default /workspace/NAME")
                                        .optionalString("install", "Command that is run there as root"))));
        add(schema, "config_files", map("Texts by absolute paths in the container"));
        add(schema, "setup_commands", Property.array("Commands that are run at the end as root", Property.string("")));
        add(schema, "memory_limit", Property.string("For example 2g or 512m"));
        add(schema, "cpu_limit", Property.number("Processors"));
        add(schema, "pids_limit", Property.integer("Processes and threads").with("minimum", 1));
        add(
                schema,
                "compose_content",
                Property.string("Text of a compose file, whose services run beside the container and end with it"));
        add(schema, "compose_file", Property.string("The same of a file below the workspace"));
        add(
                schema,
                "run_image",
                Property.bool("Run the program of the image, as a database; default false: it waits for commands"));
        add(schema, "network", Property.string("bridge (default), none, or a network of create_network"));
        add(schema, "hosts", map("Addresses by host names"));
        add(schema, "user", Property.string("uid:gid in numbers, or root; default the owner of what is mounted"));
        add(schema, "persistent", Property.bool("Keep it when the work ends; default false"));
        add(schema, "gpu", Property.bool("Give it the GPUs, where that is allowed"));
        add(schema, "privileged", Property.bool("All rights on the machine, where that is allowed"));
        add(schema, "cache_bust", Property.bool("Install what the purpose needs anew"));
        add(schema, "confirm", Property.bool("Must be true"));
        add(schema, "health_check", Property.bool("Ask a shell in it, too"));
        add(schema, "health_command", Property.string("Line for sh").minLength(1));
        add(
                schema,
                "interval",
                Property.integer("Seconds between attempts; default 2").between(0, 600));
        add(schema, "retries", Property.integer("Attempts; default 15").between(1, 1000));
        add(schema, "host_path", Property.string("Path of the host, relative in the workspace, else absolute"));
        add(schema, "container_path", Property.string("Absolute path in the container"));
        add(schema, "snapshot", Property.string("Name of a snapshot"));
        add(schema, "internal", Property.bool("Whether its containers reach nothing else; default false"));
    }

    private static void add(InputSchema.Builder schema, String name, Property property) {
        String description = String.valueOf(property.asMap().getOrDefault("description", ""));
        schema.optional(name, property.with("description", description + " [" + Operation.takers(name) + "]"));
    }

    private static Property map(String description) {
        return Property.object(description, fields -> {}).with("additionalProperties", TEXTS);
    }
}
