package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tries to get out of a workspace with compose files: each is refused with its reason, and nothing is started or shown. */
@RequiresEngine
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ComposeEscapeTest {
    private static final String AGENT = "coder-001";
    private static final String FILE = "compose.yml";
    private static final String SECRET = "PLANTED_" + UUID.randomUUID();
    private static final String IMAGE = "image: 'maestro-test/busybox:latest', command: sleep 1000";

    @TempDir
    static Path directory;

    private ComposeFixture fixture;
    private ComposeStack stack;
    private Path outside;

    @BeforeAll
    void plant() throws Exception {
        fixture = new ComposeFixture(directory.toRealPath());
        stack = fixture.stack(AGENT);
        outside = Files.createDirectories(fixture.directory.resolve("outside"));
        Files.writeString(outside.resolve("secret.env"), "KEY=" + SECRET + "\n");
        Files.writeString(
                outside.resolve("secret.yml"), "services: {base: {" + IMAGE + ", environment: {KEY: " + SECRET + "}}}");
        Files.writeString(outside.resolve("secret.txt"), SECRET);
        Files.writeString(outside.resolve("Dockerfile"), "FROM maestro-test/busybox:latest\nENV KEY=" + SECRET);
        Files.writeString(outside.resolve(".env"), "KEY=" + SECRET + "\nSTOLEN=" + SECRET + "\n");
        // As a neighbour sees it: next to the workspaces.
        Files.writeString(fixture.directory.resolve("workspaces-secret.env"), "KEY=" + SECRET + "\n");
        fixture.write(AGENT, "inside/file.txt", "harmless");
        fixture.write(AGENT, "good.env", "A=1\n");
        fixture.write(AGENT, "Dockerfile", "FROM maestro-test/busybox:latest\n");
        Path workspace = fixture.workspace(AGENT);
        Files.createSymbolicLink(workspace.resolve("link.env"), outside.resolve("secret.env"));
        Files.createSymbolicLink(workspace.resolve("link.yml"), outside.resolve("secret.yml"));
        Files.createSymbolicLink(workspace.resolve("link.txt"), outside.resolve("secret.txt"));
        Files.createSymbolicLink(workspace.resolve("linkdir"), outside);
        Files.createSymbolicLink(workspace.resolve("rootdir"), Path.of("/"));
        Files.createSymbolicLink(workspace.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(workspace.resolve("chain"), Path.of("linkdir/secret.yml"));
        Files.createDirectories(workspace.resolve("adir"));
        makeFifo(workspace.resolve("pipe"));
        makeFifo(workspace.resolve("inside/pipe"));
    }

    private static void makeFifo(Path path) throws Exception {
        Process process = new ProcessBuilder("mkfifo", path.toString()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /** Asked once for all: it takes most of the time, and each test sees by itself that it was refused. */
    @AfterAll
    void nothingWasStarted() {
        List<String> left = fixture.leftovers();
        fixture.close();
        assertThat(left).isEmpty();
    }

    private static Arguments service(String fields, String where, String reason) {
        return arguments(
                "services: {a: {" + IMAGE + ", " + fields + "}}", where.isEmpty() ? "" : "services.a." + where, reason);
    }

    private static Arguments file(String content, String where, String reason) {
        return arguments(content, where, reason);
    }

    private static String with(String more) {
        return "services: {a: {" + IMAGE + "}}\n" + more;
    }

    /** A section that a service uses; compose drops what nobody uses. */
    private static String using(String fields, String more) {
        return "services: {a: {" + IMAGE + ", " + fields + "}}\n" + more;
    }

    /** One for each reason. */
    static Stream<Arguments> attempts() {
        Set<Object> reasons = new HashSet<>();
        return all().filter(attempt -> reasons.add(attempt.get()[2]));
    }

    /** The other ways to the same reasons. */
    static Stream<Arguments> moreAttempts() {
        Set<Object> reasons = new HashSet<>();
        return all().filter(attempt -> !reasons.add(attempt.get()[2]));
    }

    private static Stream<Arguments> all() {
        return Stream.of(namespaces(), names(), mounts(), resources(), sections(), builds(), reading(), syntax())
                .flatMap(some -> some);
    }

    private static Stream<Arguments> namespaces() {
        return Stream.of(
                service("privileged: true", "privileged", "owns the machine"),
                service("environment: {KEY: planted-4c1f09$$7e}", "environment.KEY", "holds a secret"),
                service("labels: {x: planted-4c1f09$$7e}", "labels.x", "holds a secret"),
                service("entrypoint: [echo, 'x=planted-4c1f09$$7e']", "entrypoint[1]", "holds a secret"),
                service("privileged: 'true'", "", ""),
                service("network_mode: host", "network_mode", "leaves the stack's network"),
                service("network_mode: bridge", "network_mode", "leaves the stack's network"),
                service("network_mode: 'container:other'", "network_mode", "leaves the stack's network"),
                service("pid: host", "pid", "not shared"),
                service("pid: 'container:other'", "pid", "not shared"),
                service("ipc: host", "ipc", "only its own memory"),
                service("ipc: 'container:other'", "ipc", "only its own memory"),
                service("userns_mode: host", "userns_mode", "not changed"),
                service("uts: host", "uts", "not shared"),
                service("cgroup: host", "cgroup", "not shared"),
                service("cgroup_parent: /", "cgroup_parent", "escape the limits"),
                service("devices: ['/dev/sda:/dev/sda']", "devices", "not given away"),
                service("device_cgroup_rules: ['a *:* rwm']", "device_cgroup_rules", "not given away"),
                service(
                        "deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}",
                        "deploy.resources.reservations.devices",
                        "not given away"),
                service("cap_add: [SYS_ADMIN]", "cap_add", "no capabilities"),
                service("cap_add: [ALL]", "cap_add", "no capabilities"),
                service("security_opt: ['seccomp:unconfined']", "security_opt", "fixed"),
                service("security_opt: ['apparmor=unconfined', 'no-new-privileges:false']", "security_opt", "fixed"),
                service("runtime: nvidia", "runtime", "fixed"),
                service("sysctls: {kernel.shmmax: 1}", "sysctls", "not changed"),
                service("external_links: [other]", "external_links", "not reached"),
                service("extra_hosts: ['machine:host-gateway']", "extra_hosts", "host-gateway"),
                service("extra_hosts: {machine: host-gateway}", "extra_hosts", "host-gateway"),
                service("extra_hosts: {machine: '192.0.2.1 x'}", "", ""),
                service("credential_spec: {file: x.json}", "credential_spec", "not supported"),
                service("develop: {watch: [{path: /etc, action: sync, target: /x}]}", "develop", "watched"),
                service("blkio_config: {device_read_bps: [{path: /dev/sda, rate: 1}]}", "blkio_config", "devices"),
                service("oom_kill_disable: true", "oom_kill_disable", "limits hold"),
                service("logging: {driver: syslog, options: {syslog-address: 'tcp://h:1'}}", "logging", "elsewhere"),
                service("labels: {io.maestro.instance: other}", "labels", "reserved"),
                service("labels: ['com.docker.compose.project=other']", "labels", "reserved"),
                service("post_start: [{command: id}]", "", ""),
                service("provider: {type: /bin/sh}", "", ""),
                service("use_api_socket: true", "", ""),
                service("gpus: all", "", ""));
    }

    /** By which services would stand for other machines in the tests of the agent's work. */
    private static Stream<Arguments> names() {
        return Stream.of(
                service(
                        "networks: {default: {aliases: [db, packages.example.org]}}",
                        "networks.default.aliases",
                        "'packages.example.org' could be the name of another machine"),
                service("hostname: mirror.example.org", "hostname", "'mirror.example.org' could be the name"),
                service(
                        "container_name: mirror.example.org",
                        "container_name",
                        "'mirror.example.org' could be the name"),
                file(
                        "services: {mirror.example.org: {" + IMAGE + "}}",
                        "services.mirror.example.org",
                        "'mirror.example.org' could be the name"));
    }

    private static Stream<Arguments> mounts() {
        return Stream.of(
                service("volumes: ['/:/host']", "volumes", "outside the workspace"),
                service("volumes: ['/etc:/etc:ro']", "volumes", "outside the workspace"),
                service("volumes: [{type: bind, source: /, target: /host}]", "volumes", "outside the workspace"),
                service("volumes: ['../:/up']", "volumes", "outside the workspace"),
                service("volumes: ['./inside/../../..:/up']", "volumes", "outside the workspace"),
                service("volumes: ['/workspace/../..:/up']", "volumes", "outside the workspace"),
                service("volumes: ['~/.ssh:/ssh']", "volumes", "outside the workspace"),
                service("volumes: ['${HOME}:/home']", "", ""),
                service("volumes: ['./linkdir:/x']", "volumes", "symbolic link"),
                service("volumes: ['./rootdir/etc:/x']", "volumes", "symbolic link"),
                service("volumes: ['/workspace/link.txt:/x']", "volumes", "symbolic link"),
                service("volumes: ['./loop:/x']", "volumes", "out of the workspace or to nothing"),
                service("volumes: ['./rootdir/no-such-file:/x']", "volumes", "out of the workspace or to nothing"),
                service("ulimits: {nofile: -1}", "ulimits.nofile", "from 0 to"),
                service("ulimits: {nproc: {soft: 1, hard: 1000000}}", "ulimits.nproc.hard", "from 0 to"),
                service("volumes: ['./pipe:/x']", "volumes", "no regular file"),
                service("volumes: ['/var/run/docker.sock:/var/run/docker.sock']", "volumes", "engine's socket"),
                service(
                        "volumes: [{type: bind, source: /run/podman/podman.sock, target: /s}]",
                        "volumes",
                        "engine's socket"),
                service(
                        "volumes: [{type: bind, source: ./inside, target: /x, bind: {propagation: rshared}}]",
                        "volumes.bind.propagation",
                        "change the machine"),
                service("volumes: ['./inside:/x:Z']", "volumes.bind.selinux", "change the machine"),
                service("volumes: [{type: npipe, source: x, target: /x}]", "volumes", "not supported"),
                service("volumes: ['v:/v']", "volumes", "no absolute path"),
                service("volumes_from: ['container:other']", "volumes_from", "not mounted"),
                file("x-v: &v {volumes: ['/:/host']}\nservices: {a: {" + IMAGE + ", <<: *v}}", "volumes", "outside"),
                file(
                        "x-v: &v {privileged: true}\nx-w: &w {pid: host}\nservices: {a: {" + IMAGE + ", <<: [*v, *w]}}",
                        "pid",
                        "privileged"),
                file(
                        using("volumes: ['vol:/v']", "volumes: {vol: {driver_opts: {type: none, o: bind, device: /}}}"),
                        "volumes.vol.driver_opts",
                        "mount anything"),
                file(
                        using("volumes: ['vol:/v']", "volumes: {vol: {driver: rexray}}"),
                        "volumes.vol.driver",
                        "only local"),
                file(
                        using("volumes: ['vol:/v']", "volumes: {vol: {external: true}}"),
                        "volumes.vol.external",
                        "volumes of others"));
    }

    private static Stream<Arguments> resources() {
        return Stream.of(
                service("cpus: 64", "cpus", "at most 2"),
                service("mem_limit: 64g", "mem_limit", "at most"),
                service("memswap_limit: -1", "memswap_limit", "counts as memory"),
                service("pids_limit: -1", "pids_limit", "more than 0"),
                service("deploy: {resources: {limits: {memory: 64g}}}", "mem_limit", "at most"),
                service("shm_size: 64g", "shm_size", "at most"),
                service("cpus: 0.0000000001", "", "cpus must be from 0.01"),
                service("cpus: '0.0000000001'", "", "cpus must be from 0.01"),
                service("cpus: 0.009", "", "cpus must be from 0.01"),
                service("deploy: {resources: {limits: {cpus: '1e-10'}}}", "", "cpus must be from 0.01"),
                service("mem_limit: 1k", "", "memory must be 6 MiB or more"),
                service("cpu_shares: 262144", "cpu_shares", "at most 1024"),
                service("cpu_shares: 1025", "cpu_shares", "at most 1024"),
                service("cpu_shares: -1", "cpu_shares", "at most 1024"),
                service("scale: 100", "", "more than the 20 allowed"),
                service("deploy: {replicas: 100000}", "scale", "few"));
    }

    private static Stream<Arguments> sections() {
        return Stream.of(
                file(using("networks: [n]", "networks: {n: {external: true}}"), "networks.n.external", "not joined"),
                file(using("networks: [n]", "networks: {n: {driver: host}}"), "networks.n.driver", "only bridge"),
                file(using("networks: [n]", "networks: {n: {driver: macvlan}}"), "networks.n.driver", "only bridge"),
                file(
                        using(
                                "networks: [n]",
                                "networks: {n: {driver_opts: {com.docker.network.bridge.name: docker0}}}"),
                        "networks.n.driver_opts",
                        "not supported"),
                file(using("secrets: [s]", "secrets: {s: {file: /etc/shadow}}"), "secrets.s.file", "outside"),
                file(using("secrets: [s]", "secrets: {s: {file: ./link.txt}}"), "secrets.s.file", "symbolic link"),
                file(
                        using("secrets: [s]", "secrets: {s: {file: ../../outside/secret.txt}}"),
                        "secrets.s.file",
                        "outside"),
                file(
                        using("secrets: [s]", "secrets: {s: {environment: HOME}}"),
                        "secrets.s.environment",
                        "not given away"),
                file(using("secrets: [s]", "secrets: {s: {external: true}}"), "secrets.s.external", "only files"),
                file(using("configs: [c]", "configs: {c: {file: /etc/passwd}}"), "configs.c.file", "outside"),
                file(using("configs: [c]", "configs: {c: {file: ./pipe}}"), "configs.c.file", "no regular file"),
                file(using("configs: [c]", "configs: {c: {file: /dev/zero}}"), "configs.c.file", "outside"),
                file(
                        using("networks: [a, b, c, d, e]", "networks: {a: {}, b: {}, c: {}, d: {}, e: {}}"),
                        "networks",
                        "more than the 4 allowed"),
                file(with("models: {m: {model: x}}"), "", ""));
    }

    private static Stream<Arguments> builds() {
        return Stream.of(
                service("build: ../../outside", "build", "outside"),
                service("build: /", "build", "outside"),
                service("build: linkdir", "build", "symbolic link"),
                service("build: 'https://example.org/repo.git'", "build", "nothing remote"),
                service("build: 'git@example.org:repo.git'", "build", "nothing remote"),
                service("build: {context: ., dockerfile: ../../outside/Dockerfile}", "build", "outside"),
                service("build: {context: ., dockerfile: link.txt}", "build", "symbolic link"),
                service("build: {context: ., dockerfile: /etc/shadow}", "build", "outside"),
                service("build: {context: ., ssh: [default]}", "build.ssh", "not given away"),
                service("build: {context: ., network: host}", "build.network", "leave it out"),
                service("build: {context: ., privileged: true}", "build.privileged", "owns the machine"),
                service(
                        "build: {context: ., tags: ['maestro-test/busybox:latest']}",
                        "build.tags",
                        "name of the stack"),
                service("build: {context: ., cache_to: ['type=local,dest=/tmp/x']}", "build.cache_to", "not supported"),
                service(
                        "build: {context: ., additional_contexts: {x: ../../outside}}",
                        "build.additional_contexts",
                        "one directory"),
                file(
                        "services: {a: {build: {context: ., secrets: [s]}}}\nsecrets: {s: {file: ./good.env}}",
                        "build.secrets",
                        "not supported"));
    }

    private static Stream<Arguments> reading() {
        return Stream.of(
                service("env_file: /etc/shadow", "env_file", "absolute"),
                service("env_file: ../../outside/secret.env", "env_file", "outside"),
                service("env_file: [good.env, ../../workspaces-secret.env]", "env_file", "outside"),
                service("env_file: [{path: link.env}]", "env_file", "symbolic link"),
                service("env_file: [{path: linkdir/secret.env, required: false}]", "env_file", "symbolic link"),
                service("env_file: '${HOME}/.bashrc'", "env_file", "variable"),
                service("env_file: ~/.bashrc", "env_file", "outside"),
                service("env_file: pipe", "env_file", "no regular file"),
                service("label_file: link.env", "label_file", "symbolic link"),
                service("extends: {file: ../../outside/secret.yml, service: base}", "extends.file", "outside"),
                service("extends: {file: link.yml, service: base}", "extends.file", "symbolic link"),
                service("extends: {file: chain, service: base}", "extends.file", "symbolic link"),
                service("extends: {file: '${HOME}/x.yml', service: base}", "extends.file", "variable"),
                file(with("include: [../../outside/secret.yml]"), "include", "outside"),
                file(with("include: [linkdir/secret.yml]"), "include", "symbolic link"),
                file(with("include: [{path: [inside/file.txt], env_file: link.env}]"), "include.env_file", "symbolic"),
                file(
                        with("include: [{path: inside/file.txt, project_directory: linkdir}]"),
                        "include.project_directory",
                        "symbolic link"),
                file(with("include: ['https://example.org/x.yml']"), "include", "remote"),
                file(with("include: ['oci://example.org/x']"), "include", "remote"),
                file(with("include: ['github.com/a/b']"), "include", "remote"),
                file(with("include: ['../../../../../../../../../../etc/passwd']"), "include", "too many"),
                file(with("include: [pipe]"), "include", "no regular file"));
    }

    private static Stream<Arguments> syntax() {
        String bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
                + Stream.of("b:a", "c:b", "d:c", "e:d", "f:e", "g:f", "h:g")
                        .map(pair -> {
                            String[] names = pair.split(":");
                            return "%s: &%s [%s]\n".formatted(names[0], names[0], ("*" + names[1] + ",").repeat(10));
                        })
                        .reduce("", String::concat);
        return Stream.of(
                service("privileged: !reset false", "", "tag"),
                service("privileged: !override true", "", "tag"),
                file("services: !!python/object:os.system {a: b}", "", "tag"),
                file("services: {a: {" + IMAGE + "}, a: {" + IMAGE + ", privileged: true}}", "", "twice"),
                file("services: {a: {" + IMAGE + ", 1: x}}", "", "not a string"),
                file("services: {a: {" + IMAGE + ", ? [x, y] : z}}", "", "not a string"),
                file(with("---\nservices: {b: {" + IMAGE + ", privileged: true}}"), "", "more than one document"),
                file(bomb + with(""), "", ""),
                file("x: &x [*x]\n" + with(""), "", ""),
                file("[".repeat(5000), "", ""),
                file("\0services: {}", "", "NUL"),
                file("", "", "empty"),
                file("just text", "", "mapping"),
                file("services: {}", "services", ""),
                file("services: {a: {" + IMAGE + ", environment: {X: '${MISSING?" + "no such}'}}}", "", "no such"),
                file("services: {a: {image: '--privileged'}}", "services.a.image", "names no image"),
                file("services: {a: {image: 'x y'}}", "", ""),
                file("#" + "x".repeat(300_000) + "\n" + with(""), "", "bytes that are allowed"));
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void isRefused(String content, String where, String reason) throws Exception {
        fixture.write(AGENT, FILE, content);
        ComposeRefusedException refused = refusal(FILE);
        if (!reason.isEmpty()) {
            assertThat(refused).hasMessageContaining(reason);
        }
        assertThat(refused).hasMessageContaining(where.isEmpty() ? "" : where);
    }

    @ParameterizedTest
    @MethodSource("moreAttempts")
    @Full("isRefused has one attempt for each reason")
    void moreAttemptsAreRefused(String content, String where, String reason) throws Exception {
        isRefused(content, where, reason);
    }

    private ComposeRefusedException refusal(String path) {
        ComposeRefusedException refused = catchThrowableOfType(
                ComposeRefusedException.class, () -> stack.up(path, List.of(), Duration.ofMinutes(2)));
        assertThat(refused).as("it was started").isNotNull();
        assertThat(refused.getMessage())
                .doesNotContain(SECRET)
                .doesNotContain(SECRET.substring(8, 20))
                .doesNotContain(fixture.directory.toString())
                .doesNotContain("root:");
        return refused;
    }

    static Stream<Arguments> paths() {
        return Stream.of(
                arguments("--help", "does not exist"),
                arguments("-f/etc/passwd", "does not exist"),
                arguments("", "1 to 1024"),
                arguments(" ", "1 to 1024"),
                arguments("a\0b", "control characters"),
                arguments(".", "directory"),
                arguments("/workspace", "directory"),
                arguments("adir", "no regular file"),
                arguments("pipe", "no regular file"),
                arguments("loop", "symbolic link"),
                arguments("rootdir/no-such-file", "symbolic link"),
                arguments("missing.yml", "does not exist"),
                arguments("/dev/zero", "outside"),
                arguments("/etc/passwd", "outside"),
                arguments("/workspace/../../outside/secret.yml", "outside"),
                arguments("../coder-002/compose.yml", "outside"),
                arguments("../../outside/secret.yml", "outside"),
                arguments("~/compose.yml", "outside"),
                arguments("link.yml", "symbolic link"),
                arguments("linkdir/secret.yml", "symbolic link"),
                arguments("chain", "symbolic link"),
                arguments("https://example.org/compose.yml", "does not exist"),
                arguments("x".repeat(5000), "1 to 1024"));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void aPathIsRefused(String path, String reason) {
        assertThat(refusal(path)).hasMessageContaining(reason);
    }

    @Test
    void otherEncodingsAndHugeFilesAreRefused() throws Exception {
        Path file = fixture.workspace(AGENT).resolve(FILE);
        Files.write(file, ("\ufeff" + with("")).getBytes(StandardCharsets.UTF_16BE));
        assertThat(refusal(FILE)).hasMessageContaining("UTF-8");
        Files.write(file, new byte[] {(byte) 0xc3, (byte) 0x28});
        assertThat(refusal(FILE)).hasMessageContaining("UTF-8");
        try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
            huge.setLength(20L << 30);
        }
        assertThat(refusal(FILE)).hasMessageContaining("bytes that are allowed");
        Files.delete(file);
    }

    @Test
    void everythingWrongIsSaidAtOnce() throws Exception {
        fixture.write(
                AGENT,
                FILE,
                "services: {a: {" + IMAGE + ", privileged: true, pid: host}, b: {" + IMAGE + ", volumes: ['/:/x']}}");
        assertThat(refusal(FILE).violations())
                .extracting(ComposeRefusedException.Violation::where)
                .containsExactlyInAnyOrder("services.a.privileged", "services.a.pid", "services.b.volumes");
    }

    @Test
    void anEnvFileThatIsALinkIsNotReadAndOneThatSteersTheClientIsRefused() throws Exception {
        fixture.write("linked", FILE, "services: {a: {" + IMAGE + ", environment: {X: 'x${STOLEN}'}}}");
        Files.createSymbolicLink(fixture.workspace("linked").resolve(".env"), outside.resolve(".env"));
        ComposeStack stack = fixture.stack("linked");
        StackReport report = stack.up(FILE, List.of(), Duration.ofMinutes(2));
        try {
            assertThat(report.notes()).anyMatch(note -> note.contains(".env is not used"));
            assertThat(fixture.exec(stack, "a", "sh", "-c", "echo $X")).isEqualTo("x");
        } finally {
            stack.down();
        }
        fixture.write("steered", FILE, with(""));
        fixture.write("steered", ".env", "A=1\nexport DOCKER_HOST=tcp://evil.example:2375\n");
        ComposeRefusedException refused = catchThrowableOfType(
                ComposeRefusedException.class,
                () -> fixture.stack("steered").up(FILE, List.of(), Duration.ofMinutes(2)));
        assertThat(refused).hasMessageContaining("DOCKER_HOST");
    }

    /** Compose would hold all of it in memory before anybody could look at it. */
    @Test
    void variablesThatGrowAndServicesWithoutEndAreNotReadByCompose() throws Exception {
        StringBuilder doubling = new StringBuilder("A0=" + "x".repeat(20) + "\n");
        for (int i = 1; i < 24; i++) {
            doubling.append("A%d=${A%d}${A%d}\n".formatted(i, i - 1, i - 1));
        }
        StringBuilder services = new StringBuilder("services:\n  a: {" + IMAGE + "}\n");
        for (int i = 0; i < 200; i++) {
            services.append("  s" + i + ": {extends: {service: a}}\n");
        }
        String one = "services: {a: {" + IMAGE + "}}\n";
        List<List<String>> files = List.of(
                List.of(doubling.toString(), "x-a: [\"${A23}\"]\n" + one, "write values out"),
                List.of("A=" + "x".repeat(60_000), "x-a: [" + "\"${A}\",".repeat(20) + "a]\n" + one, "20 places"),
                List.of("A=1", services.toString(), "201 are more than the 200"));
        for (List<String> each : files) {
            fixture.write("grows", ".env", each.get(0));
            fixture.write("grows", FILE, each.get(1));
            ComposeRefusedException refused = catchThrowableOfType(
                    ComposeRefusedException.class,
                    () -> fixture.stack("grows").up(FILE, List.of(), Duration.ofMinutes(2)));
            assertThat(refused).hasMessageContaining(each.get(2));
        }
    }

    @Test
    @Full("a stack; isRefused has what a file may not ask for")
    void addressesPrioritiesProbesAndFactsOfTheHostAreNotHad() throws Exception {
        fixture.write("greedy", "Dockerfile", """
                FROM maestro-test/busybox:latest
                HEALTHCHECK --interval=1ms CMD true
                """);
        // The documentation's network: no harm when it gets through.
        fixture.write("greedy", FILE, """
                services:
                  a:
                    image: maestro-test/busybox:latest
                    command: sleep 1000
                    networks: {n: {ipv4_address: 203.0.113.8}}
                    ulimits: {rtprio: 99, core: -1, memlock: -1, nofile: 1024}
                    extra_hosts: ["api.example.org:192.0.2.1", "six=::1"]
                    healthcheck: {test: "true", interval: 1ms}
                    stop_signal: SIGSTOP
                    stop_grace_period: 1000000h
                    environment:
                      HOME:
                      MAESTRO_EXEC_ID:
                      FACTS: "${HOME}${USER}${PATH}${PWD}${DOCKER_HOST}${DOCKER_CONFIG}${MAESTRO_EXEC_ID}${MAESTRO_EXEC_ROOT}${SSH_AUTH_SOCK}${XDG_RUNTIME_DIR}"
                  b:
                    build: .
                    command: "true"
                networks: {n: {ipam: {config: [{subnet: 203.0.113.0/24}]}}}
                """);
        ComposeStack stack = fixture.stack("greedy");
        try {
            StackReport report = stack.up(FILE, List.of(), Duration.ofMinutes(2));
            assertThat(report.problem()).isEmpty();
            assertThat(String.join("\n", report.notes()))
                    .contains("ipam", "ipv4_address", "rtprio", "interval", "HOME of environment has no value");
            assertThat(fixture.exec(stack, "a", "sh", "-c", "echo \"[$FACTS]\"; ip route; ulimit -n; ulimit -r"))
                    .startsWith("[]\n")
                    .doesNotContain("203.0.113")
                    .endsWith("1024\n0");
            assertThat(fixture.exec(stack, "a", "sh", "-c", "grep -e api -e six /etc/hosts | tr '\\t' ' ' | sort"))
                    .isEqualTo("192.0.2.1 api.example.org\n::1 six");
            for (ServiceState state : stack.status()) {
                assertThat(fixture.cli.output("inspect", "--format", "{{.Config}}", state.id()))
                        .doesNotContain("HOME=", "MAESTRO_EXEC_ID=", "SIGSTOP");
                String interval =
                        fixture.cli.output("inspect", "--format", "{{.Config.Healthcheck.Interval}}", state.id());
                assertThat(interval).isEqualTo(state.service().equals("a") ? "1s" : "30s");
            }
        } finally {
            stack.down();
        }
    }

    @Test
    @Full("a stack; anEnvFileThatIsALinkIsNotReadAndOneThatSteersTheClientIsRefused has links")
    void aMountedPathThatBecomesALinkLaterShowsNothing() throws Exception {
        // The first service can write the workspace and makes a link of what the second one mounts.
        fixture.write("racer", FILE, """
                services:
                  swap:
                    image: maestro-test/busybox:latest
                    command: ["sh", "-c", "rm -rf /w/data && ln -s %s /w/data"]
                    volumes: [".:/w"]
                  victim:
                    image: maestro-test/busybox:latest
                    command: sleep 1000
                    volumes: ["./data:/data"]
                    depends_on: {swap: {condition: service_completed_successfully}}
                """.formatted(outside));
        fixture.write("racer", "data/file", "mine");
        ComposeStack stack = fixture.stack("racer");
        try {
            assertThat(stack.up(FILE, List.of(), Duration.ofMinutes(2)).problem())
                    .isEmpty();
            assertThat(Files.isSymbolicLink(fixture.workspace("racer").resolve("data")))
                    .isTrue();
            assertThat(fixture.exec(stack, "victim", "sh", "-c", "ls /data; cat /data/file"))
                    .isEqualTo("file\nmine");
        } finally {
            stack.down();
        }
    }
}
