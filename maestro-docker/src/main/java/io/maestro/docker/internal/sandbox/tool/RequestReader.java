package io.maestro.docker.internal.sandbox.tool;

import io.maestro.docker.ClonedRepository;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.EnvironmentPassthrough;
import io.maestro.docker.Purpose;
import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import io.maestro.tools.ToolArguments;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes requests of the arguments of a model, within what the host allows it. */
final class RequestReader {
    private static final Pattern MEMORY = Pattern.compile("([0-9]{1,6})([bkmg]?)");

    private final ContainerRules rules;
    private final ToolAccess access;

    RequestReader(ContainerRules rules, ToolAccess access) {
        this.rules = rules;
        this.access = access;
    }

    /** @throws IllegalArgumentException when something is none, or not allowed */
    ContainerRequest of(ToolArguments call) {
        ContainerRequest.Builder request = ContainerRequest.builder();
        call.optionalString("name").ifPresent(request::name);
        call.optionalString("purpose").ifPresent(request::purpose);
        call.optionalString("repo_url").ifPresent(request::tryRepository);
        call.optionalString("image").map(access.images()).ifPresent(request::image);
        call.optionalString("snapshot").ifPresent(name -> {
            access.require(Grant.SNAPSHOTS);
            request.snapshot(name);
        });
        call.optionalString("workdir").ifPresent(request::workingDirectory);
        if (call.bool("mount_cwd", false)) {
            request.mount(access.workspace(call.optionalString("workdir").orElse(ContainerRequest.WORKSPACE)));
        }
        for (ToolArguments mount : call.objects("mounts")) {
            request.mount(access.mount(mount.string("host"), mount.string("container"), mount.bool("read_only", true)));
        }
        for (ToolArguments port : call.objects("ports")) {
            access.require(Grant.PORTS);
            request.port(
                    Math.toIntExact(port.integer("container")),
                    Math.toIntExact(port.optionalInteger("host").orElse(0)));
        }
        texts(call, "env", request::environment);
        passthrough(call).ifPresent(request::passthrough);
        if (call.asMap().containsKey("forward_git")) {
            request.forwardGit(call.bool("forward_git", true));
        }
        if (call.asMap().containsKey("forward_gh")) {
            boolean asked = call.bool("forward_gh", true);
            if (asked) {
                requireHandedOver("GH_TOKEN");
            }
            request.forwardGitHub(asked);
        }
        if (call.bool("forward_ssh", false)) {
            access.require(Grant.SSH);
            request.forwardSsh(true);
        }
        call.optionalString("dotfiles_repo").ifPresent(request::dotfilesRepository);
        texts(call, "dotfiles_inline", request::dotfile);
        for (ToolArguments repository : call.objects("repos")) {
            request.repository(new ClonedRepository(
                    repository.string("url"),
                    repository.optionalString("path").orElse(null),
                    repository.optionalString("install").orElse(null)));
        }
        texts(call, "config_files", request::file);
        call.strings("setup_commands").forEach(request::setUp);
        limits(call).ifPresent(request::limits);
        request.network(access.network(call.optionalString("network")));
        texts(call, "hosts", (name, address) -> request.host(name, access.address(address)));
        call.optionalString("user").ifPresent(request::user);
        call.optionalString("compose_content").ifPresent(text -> {
            access.require(Grant.SERVICES);
            request.composeContent(text);
        });
        call.optionalString("compose_file").ifPresent(text -> {
            access.require(Grant.SERVICES);
            access.require(Grant.CHANGES);
            request.composeFile(access.name(text));
        });
        boolean privileged = call.bool("privileged", false);
        if (privileged) {
            access.require(Grant.PRIVILEGED);
        }
        boolean persistent = call.bool("persistent", false);
        if (persistent) {
            access.require(Grant.PERSISTENT);
        }
        ContainerRequest made = request.imageProgram(call.bool("run_image", false))
                .persistent(persistent)
                .gpu(call.bool("gpu", false))
                .privileged(privileged)
                .caches(access.grants().contains(Grant.CACHES))
                .freshImage(call.bool("cache_bust", false))
                .build();
        if (made.mountsWritable()) {
            requireNoRoot(made);
        }
        boolean trusted =
                made.purpose().map(rules::purpose).map(Purpose::trusted).orElse(true);
        if (!trusted && made.gitHub().orElse(false)) {
            throw new IllegalArgumentException("the purpose " + made.purpose().orElse("")
                    + " is for strangers' code, which gets no token; leave out forward_gh");
        }
        return made;
    }

    private void requireNoRoot(ContainerRequest made) {
        made.setUp().stream().findFirst().ifPresent(access::requireNoRoot);
        made.repositories().stream()
                .map(ClonedRepository::install)
                .filter(Objects::nonNull)
                .forEach(access::requireNoRoot);
        made.user().filter(user -> user.startsWith("0:")).ifPresent(user -> access.requireNoRoot("a command"));
        made.image().ifPresent(image -> access.requireNoRoot("what the image " + image + " has"));
        made.snapshot().ifPresent(name -> access.requireNoRoot("what the snapshot " + name + " has"));
        if (made.imageProgram()) {
            access.requireNoRoot("run_image");
        }
        if (made.tryRepository().isPresent()) {
            access.requireNoRoot("what a repository brings");
        }
    }

    static void texts(ToolArguments call, String name, BiConsumer<String, String> taker) {
        if (call.asMap().get(name) instanceof Map<?, ?> map) {
            map.forEach((key, value) -> taker.accept(String.valueOf(key), String.valueOf(value)));
        }
    }

    private Optional<EnvironmentPassthrough> passthrough(ToolArguments call) {
        Object asked = call.asMap().get("env_passthrough");
        if (asked == null) {
            return Optional.empty();
        }
        if (asked instanceof List<?> names) {
            List<String> texts = names.stream().map(String::valueOf).toList();
            texts.forEach(this::requireHandedOver);
            return Optional.of(EnvironmentPassthrough.of(texts));
        }
        return switch (String.valueOf(asked)) {
            case "auto" -> Optional.of(EnvironmentPassthrough.auto());
            case "none" -> Optional.of(EnvironmentPassthrough.none());
            case "all" -> {
                access.require(Grant.ALL_VARIABLES);
                yield Optional.of(EnvironmentPassthrough.all());
            }
            default ->
                throw new IllegalArgumentException(
                        "env_passthrough is auto, none, all or a list of names, is '" + asked + "'");
        };
    }

    private void requireHandedOver(String name) {
        if (!EnvironmentPassthrough.matches(name, rules.passPatterns())) {
            throw new IllegalArgumentException("the variable '" + name
                    + "' is not handed over here; those are whose names match " + rules.passPatterns());
        }
    }

    private Optional<ContainerLimits> limits(ToolArguments call) {
        if (call.optionalString("memory_limit").isEmpty()
                && call.optionalNumber("cpu_limit").isEmpty()
                && call.optionalInteger("pids_limit").isEmpty()) {
            return Optional.empty();
        }
        ContainerLimits most = rules.limits();
        return Optional.of(new ContainerLimits(
                call.optionalNumber("cpu_limit").orElse(most.cpus()),
                call.optionalString("memory_limit").map(RequestReader::bytes).orElse(most.memoryBytes()),
                Math.toIntExact(call.optionalInteger("pids_limit").orElse(most.pids()))));
    }

    private static long bytes(String text) {
        Matcher matcher = MEMORY.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("memory_limit is a number with k, m or g behind it, is '" + text + "'");
        }
        int shift = "bkmg".indexOf(matcher.group(2).isEmpty() ? "b" : matcher.group(2)) * 10;
        return Long.parseLong(matcher.group(1)) << shift;
    }
}
