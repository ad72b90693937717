package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.Sweep;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@RequiresEngine
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class ComposeStackTest {
    private static final String FILE = ".maestro/compose.yml";
    private static final String AGENT = "coder-001";
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String SLEEP = "sh -c 'trap \"exit 0\" TERM; while :; do sleep 1; done'";

    /** What several agents use at once: fixed names and ports would collide. */
    private static final String SHARED = """
            services:
              web:
                image: maestro-test/busybox:latest
                container_name: the-web
                restart: always
                command: httpd -f -p 8080 -h /www
                ports: ["38080:8080"]
                volumes: ["./site:/www", "data:/data", "/anonymous"]
                labels: {traefik.enable: "true"}
                healthcheck: {test: ["CMD", "wget", "-qO-", "http://127.0.0.1:8080/index.html"], interval: 1s, retries: 30}
              once:
                image: maestro-test/busybox:latest
                command: ["sh", "-c", "echo done once"]
                depends_on: {web: {condition: service_healthy}}
            volumes: {data: }
            """;

    @TempDir
    Path directory;

    private ComposeFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new ComposeFixture(directory.toRealPath());
    }

    @AfterEach
    void nothingIsLeft() {
        fixture.close();
    }

    @Test
    void runsWhatAFileDescribesAndRemovesAllOfIt() throws Exception {
        String image = TestImages.ofDocker()
                .build(
                        "labelled",
                        "FROM maestro-test/busybox:latest\nLABEL 'job.$run'=inherited job.run=inherited com.docker.compose.project=inherited"
                                + " com.docker.compose.service=inherited com.docker.compose.version=inherited\n",
                        Map.of());
        fixture.write(AGENT, FILE, SHARED.replaceFirst("maestro-test/busybox:latest", image));
        fixture.write(AGENT, "site/index.html", "hello");
        ComposeStack stack = fixture.stack(AGENT);
        StackReport report = stack.up(FILE, List.of(), LIMIT);

        assertThat(report.problem()).isEmpty();
        assertThat(report.ok()).isTrue();
        assertThat(report.services())
                .extracting(ServiceState::service, ServiceState::status, ServiceState::health)
                .containsExactly(
                        org.assertj.core.api.Assertions.tuple("once", "exited", ""),
                        org.assertj.core.api.Assertions.tuple("web", "running", "healthy"));
        assertThat(report.notes())
                .anyMatch(note -> note.contains("ports"))
                .anyMatch(note -> note.contains("container_name"))
                .anyMatch(note -> note.contains("labels are left out"));
        assertThat(stack.logs("once", 10).values()).containsExactly("done once");
        assertThat(stack.networks()).containsExactly(stack.network());

        String web = report.services().get(1).id();
        String inspected = fixture.cli.output("inspect", web);
        assertThat(inspected)
                .contains("\"" + Labels.INSTANCE + "\": \"" + fixture.instance.id() + "\"")
                .contains("\"" + Labels.AGENT + "\": \"" + AGENT + "\"")
                .contains("\"" + Labels.STORY + "\": \"story-7\"")
                .contains("\"job.run\": \"\"", "\"job.$run\": \"\"")
                .doesNotContain("traefik", "inherited")
                .contains("no-new-privileges:true")
                .contains("\"Memory\": 536870912")
                .contains("\"MemorySwap\": 536870912")
                .contains("\"NanoCpus\": 1000000000")
                .contains("\"PidsLimit\": 256")
                .contains("\"Name\": \"/" + stack.project() + "-web-1\"");
        assertThat(fixture.cli.output(
                        "inspect",
                        "--format",
                        "{{.HostConfig.RestartPolicy.Name}}|{{len .HostConfig.PortBindings}}",
                        web))
                .isIn("no|0", "|0");
        assertThat(fixture.leftovers()).anyMatch(left -> left.startsWith("volume"));

        stack.down();
        assertThat(fixture.leftovers()).isEmpty();
        assertThat(directory.resolve("state").resolve(stack.project())).doesNotExist();
        assertThat(stack.status()).isEmpty();
        stack.down();
    }

    @Test
    @Full("two stacks; runsWhatAFileDescribesAndRemovesAllOfIt has one")
    void twoAgentsUseTheSameFileAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Callable<StackReport>> starts = List.of(start("coder-001"), start("coder-002"));
            for (Future<StackReport> report : threads.invokeAll(starts)) {
                assertThat(report.get().problem()).isEmpty();
            }
        } finally {
            threads.shutdownNow();
        }
        ComposeStack first = fixture.stack("coder-001");
        ComposeStack second = fixture.stack("coder-002");
        assertThat(fixture.exec(first, "web", "cat", "/www/index.html")).isEqualTo("coder-001");
        assertThat(fixture.exec(second, "web", "cat", "/www/index.html")).isEqualTo("coder-002");
        first.down();
        assertThat(first.status()).isEmpty();
        assertThat(second.status())
                .filteredOn(state -> state.service().equals("web"))
                .singleElement()
                .satisfies(state -> assertThat(state.status()).isEqualTo("running"));
    }

    private Callable<StackReport> start(String agent) throws Exception {
        fixture.write(agent, FILE, SHARED);
        fixture.write(agent, "site/index.html", agent);
        ComposeStack stack = fixture.stack(agent);
        return () -> stack.up(FILE, List.of(), LIMIT);
    }

    @Full("WiredServicesTest reaches services from containers of a story, before and after a switch")
    @Test
    void aGuestReachesServicesByNameAndIsDetachedBeforeTheyGo() throws Exception {
        fixture.write(AGENT, FILE, SHARED);
        fixture.write(AGENT, "site/index.html", "reached");
        String guest = fixture.cli.output(
                "run",
                "-d",
                "--name",
                "maestro-test-guest-" + UUID.randomUUID(),
                "--label",
                "io.maestro.test=true",
                ComposeFixture.BUSYBOX,
                "sleep",
                "3600");
        try {
            fixture.guests.add(guest);
            ComposeStack stack = fixture.stack(AGENT);
            assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
            assertThat(fixture.cli.output("exec", guest, "wget", "-qO-", "http://web:8080/index.html"))
                    .isEqualTo("reached");
            stack.connect(guest);
            stack.down();
            assertThat(fixture.cli.output("inspect", "--format", "{{.State.Running}}", guest))
                    .isEqualTo("true");
            assertThat(fixture.cli.output("inspect", "--format", "{{json .NetworkSettings.Networks}}", guest))
                    .doesNotContain(stack.project());
        } finally {
            fixture.cli.output("rm", "-f", guest);
        }
    }

    @Test
    @Full("services that fail; aMissingImageIsAFailure has the report")
    void aServiceThatFailsIsAFailureWithItsLastLines() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  good: {image: "maestro-test/busybox:latest", command: %s}
                  bad: {image: "maestro-test/busybox:latest", command: ["sh", "-c", "echo boom >&2; exit 3"]}
                """.formatted(SLEEP));
        ComposeStack stack = fixture.stack(AGENT);
        StackReport report = stack.up(FILE, List.of(), LIMIT);
        assertThat(report.ok()).isFalse();
        assertThat(report.problem()).contains("bad: exited with exit code 3");
        assertThat(report.logs().values()).containsExactly("boom");
        assertThat(stack.status())
                .filteredOn(state -> state.service().equals("good"))
                .singleElement()
                .satisfies(state -> assertThat(state.status()).isEqualTo("running"));
    }

    /** Nothing depends on these services, so that only Maestro waits for them. */
    @Test
    void everyServiceIsWaitedForUntilItIsHealthyOrIsNot() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  late:
                    image: maestro-test/busybox:latest
                    command: sh -c 'trap "exit 0" TERM; sleep 1; touch /tmp/ready; while :; do sleep 1; done'
                    healthcheck: {test: "test -e /tmp/ready", interval: 1s, retries: 30}
                """);
        ComposeStack stack = fixture.stack(AGENT);
        StackReport late = stack.up(FILE, List.of(), LIMIT);
        assertThat(late.problem()).isEmpty();
        assertThat(late.services()).extracting(ServiceState::health).containsExactly("healthy");

        fixture.write(AGENT, FILE, """
                services:
                  sick:
                    image: maestro-test/busybox:latest
                    command: %s
                    healthcheck: {test: "false", interval: 1s, retries: 1}
                """.formatted(SLEEP));
        StackReport sick = stack.up(FILE, List.of(), LIMIT);
        assertThat(sick.ok()).isFalse();
        assertThat(sick.problem()).contains("sick: running, unhealthy");
        assertThat(sick.services()).extracting(ServiceState::service).containsExactly("sick");
    }

    @Test
    void aMissingImageIsAFailure() throws Exception {
        fixture.write(AGENT, FILE, "services: {a: {image: 'maestro-test/nothing-here:1', pull_policy: never}}");
        assertThatThrownBy(() -> fixture.stack(AGENT).up(FILE, List.of(), LIMIT))
                .isInstanceOf(ComposeRefusedException.class)
                .hasMessageContaining("maestro-test/nothing-here:1");
    }

    @Test
    void servicesAreCountedBeforeAnyIsLookedAtAndAnImageIsAskedForOnce() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fixture.found = name -> {
            asked.incrementAndGet();
            throw new IllegalArgumentException("there is no image '" + name + "'");
        };
        String services = IntStream.range(0, 200)
                .mapToObj(number -> "  s%d: {image: none, profiles: [p], scale: 0}%n".formatted(number))
                .collect(Collectors.joining());
        fixture.write(AGENT, FILE, "services:\n" + services);
        ComposeStack stack = fixture.stack(AGENT);
        assertThatThrownBy(() -> stack.up(FILE, List.of(), LIMIT))
                .isInstanceOf(ComposeRefusedException.class)
                .hasMessageContaining("200 services with 0 containers are more than the 20 allowed");
        assertThat(asked).hasValue(0);
        fixture.write(
                AGENT, FILE, "services:\n" + services.lines().limit(20).collect(Collectors.joining("\n", "", "\n")));
        assertThatThrownBy(() -> stack.up(FILE, List.of(), LIMIT))
                .hasMessageContaining("services.s0.image: there is no image 'none'")
                .hasMessageContaining("services.s19.image: there is no image 'none'");
        assertThat(asked).hasValue(1);
    }

    @Test
    @Full("waits for 2 s; aCancelledStartIsBroughtDownAndDownIgnoresInterruptions ends a call in the same way")
    void theTimeLimitIsForTheCheckTooAndWhatRunsStays() throws Exception {
        fixture.write(
                AGENT,
                FILE,
                "services: {a: {image: 'maestro-test/busybox:latest', command: %s}}".formatted("sleep 1000"));
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        List<ServiceState> before = stack.status();
        // As a registry that does not answer; whoever looks for an image may hide that it was cut short.
        for (boolean hides : new boolean[] {false, true}) {
            fixture.found = name -> {
                ExecResult events = fixture.cli.run("events", "--filter", "label=io.maestro.none=" + UUID.randomUUID());
                assertThat(events.ending()).isEqualTo(ExecResult.Ending.CANCELLED);
                throw hides ? new IllegalArgumentException("no image") : new DockerException("cut short", null);
            };
            StackReport report = stack.up(FILE, List.of(), Duration.ofSeconds(2));
            assertThat(report.ok()).isFalse();
            assertThat(report.problem()).contains("took more than 2 s", "runs on");
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(stack.status()).isEqualTo(before);
    }

    @Test
    @Full("a stack; ComposeEscapeTest has what is refused")
    void theLeastThatIsTakenIsALimitOnTheEngineToo() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  a: {image: "maestro-test/busybox:latest", command: sleep 1000, cpus: 0.01, cpu_shares: 512}
                """);
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        String limits = fixture.cli.output(
                "inspect",
                "--format",
                "{{.HostConfig.NanoCpus}} {{.HostConfig.CpuShares}}",
                stack.status().get(0).id());
        assertThat(limits).isEqualTo("10000000 512");
    }

    @Full("waits for 12 s; ServiceSettingsTest.servicesThatAreNotHealthyInTimeAreBroughtDown waits for less")
    @Test
    void atTheTimeLimitWhatWasStartedIsBroughtDown() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  slow:
                    image: maestro-test/busybox:latest
                    command: %s
                    healthcheck: {test: "false", interval: 1s, retries: 100000}
                """.formatted(SLEEP));
        StackReport report = fixture.stack(AGENT).up(FILE, List.of(), Duration.ofSeconds(12));
        assertThat(report.ok()).isFalse();
        assertThat(report.problem()).contains("12 s").contains("brought down");
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    @Full("a second stack; ComposeToolsTest brings one down")
    void aCancelledStartIsBroughtDownAndDownIgnoresInterruptions() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  slow:
                    image: maestro-test/busybox:latest
                    command: %s
                    healthcheck: {test: "false", interval: 1s, retries: 100000}
                """.formatted(SLEEP));
        ComposeStack stack = fixture.stack(AGENT);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                stack.up(FILE, List.of(), LIMIT);
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        thread.start();
        ComposeFixture.await("a container", () -> !stack.status().isEmpty());
        thread.interrupt();
        ComposeFixture.await("the stack is being removed", () -> {
            // Once more, in the middle of the removal.
            thread.interrupt();
            return !thread.isAlive();
        });
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    @Full("two stacks; runsWhatAFileDescribesAndRemovesAllOfIt goes the same way")
    void aChangedFileReplacesWhatRuns() throws Exception {
        String file = """
                services:
                  a: {image: "maestro-test/busybox:latest", command: %s, environment: {V: "%s"}, volumes: ["kept:/kept", "./conf:/conf"]}
                volumes: {kept: }
                """;
        fixture.write(AGENT, FILE, file.formatted(SLEEP, "one"));
        fixture.write(AGENT, "conf/settings", "first");
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        fixture.exec(stack, "a", "sh", "-c", "echo data > /kept/file");
        String before = stack.status().get(0).id();
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(stack.status().get(0).id()).as("nothing has changed").isEqualTo(before);

        fixture.write(AGENT, "conf/settings", "second");
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(fixture.exec(stack, "a", "cat", "/conf/settings")).isEqualTo("second");

        fixture.write(AGENT, FILE, file.formatted(SLEEP, "two").replace(" a:", " b:"));
        assertThat(stack.up("/workspace/" + FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(stack.status()).extracting(ServiceState::service).containsExactly("b");
        assertThat(fixture.exec(stack, "b", "sh", "-c", "echo $V; cat /kept/file"))
                .isEqualTo("two\ndata");
    }

    @Full("builds; ComposeEscapeTest has what may be built from, ComposeToolsTest how services are removed")
    @Test
    void buildsImagesFromCopiesAndRemovesThem() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  app:
                    image: maestro-test/busybox:stolen
                    build: {context: app, args: {NAME: world}}
                    command: %s
                  other: {image: "maestro-test/busybox:stolen", command: %s}
                  inline:
                    build: {context: ., dockerfile_inline: "FROM maestro-test/busybox:latest\\nRUN echo inline > /made\\n"}
                    command: %s
                """.formatted(SLEEP, SLEEP, SLEEP));
        fixture.write(
                AGENT,
                "app/Dockerfile",
                "FROM maestro-test/busybox:latest\nARG NAME\nCOPY . /app/\nRUN echo hello $NAME > /made\n");
        fixture.write(AGENT, "app/file", "content");
        Files.createSymbolicLink(fixture.workspace(AGENT).resolve("app/out"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(fixture.workspace(AGENT).resolve("app/in"), Path.of("file"));
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(fixture.exec(stack, "app", "sh", "-c", "cat /made /app/in; ls /app"))
                .isEqualTo("hello world\ncontentDockerfile\nfile\nin");
        assertThat(fixture.exec(stack, "other", "cat", "/made")).isEqualTo("hello world");
        assertThat(fixture.exec(stack, "inline", "cat", "/made")).isEqualTo("inline");
        assertThat(fixture.cli.output("image", "ls", "-q", "maestro-test/busybox:stolen"))
                .as("the name of an image cannot be taken")
                .isEmpty();
        fixture.write(AGENT, "app/file", "changed");
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(fixture.exec(stack, "app", "cat", "/app/file")).isEqualTo("changed");

        Instance later = new Instance(fixture.instance.id(), Instance.newId(), directory);
        new Sweep(new Engine(fixture.cli, later), labels -> false).atStart();
        assertThat(fixture.leftovers()).isNotEmpty().allMatch(left -> left.startsWith("image"));
        ComposeStack.removeImages(fixture.cli, later);
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    @Full("runsWhatAFileDescribesAndRemovesAllOfIt has one file, ComposeEscapeTest what each of these may not do")
    void includesExtendsVariablesSecretsAndConfigsOfTheWorkspaceWork() throws Exception {
        fixture.write(AGENT, FILE, """
                include: [parts/more.yml]
                x-common: &common
                  image: ${IMAGE}
                  command: %s
                services:
                  a:
                    <<: *common
                    extends: {file: parts/base.yml, service: base}
                    env_file: [vars.env, {path: missing.env, required: false}]
                    environment: {DOLLAR: "$$HOME", TIME: 22:22, YES: yes, OCTAL: "0440"}
                    secrets: [key]
                    configs: [{source: conf, target: /conf}]
                    volumes: [".:/live", {type: bind, source: /workspace/parts, target: /parts}]
                    deploy: {resources: {limits: {cpus: "0.5", memory: 64m, pids: 50}}}
                secrets: {key: {file: ./key.txt}}
                configs: {conf: {content: "inline ${IMAGE}"}}
                """.formatted(SLEEP));
        fixture.write(AGENT, ".env", "IMAGE=maestro-test/busybox:latest\nCOMPOSE_PROJECT_NAME=other\n");
        fixture.write(AGENT, "vars.env", "FROM_FILE=yes\n");
        fixture.write(AGENT, "key.txt", "s3cret");
        fixture.write(AGENT, "parts/more.yml", """
                services:
                  b: {image: "maestro-test/busybox:latest", command: %s, env_file: own.env, volumes: ["./own.env:/own"]}
                """.formatted(SLEEP));
        fixture.write(AGENT, "parts/own.env", "OWN=1\n");
        fixture.write(
                AGENT, "parts/base.yml", "services: {base: {image: none, environment: {BASE: 1}, env_file: own.env}}");
        ComposeStack stack = fixture.stack(AGENT);
        StackReport report = stack.up(FILE, List.of(), LIMIT);
        assertThat(report.problem()).isEmpty();
        assertThat(fixture.exec(stack, "a", "sh", "-c", "echo $DOLLAR $TIME $YES $OCTAL $FROM_FILE $BASE $OWN"))
                .isEqualTo("$HOME 22:22 yes 0440 yes 1 1");
        assertThat(fixture.exec(stack, "a", "cat", "/run/secrets/key", "/conf"))
                .isEqualTo("s3cretinline maestro-test/busybox:latest");
        assertThat(fixture.exec(stack, "a", "sh", "-c", "echo made > /live/made; ls /parts"))
                .isEqualTo("base.yml\nmore.yml\nown.env");
        assertThat(fixture.workspace(AGENT).resolve("made")).hasContent("made");
        assertThat(fixture.exec(stack, "b", "sh", "-c", "echo $OWN; cat /own")).isEqualTo("1\nOWN=1");
    }

    /** The root of an image would leave programs that run as root on the host, and what nobody there can delete. */
    @Full("a stack more, for who owns what its services write")
    @Test
    void whatAServiceLeavesInTheWorkspaceIsTheOwners() throws Exception {
        fixture.owner = "4242:4242";
        Files.setPosixFilePermissions(fixture.workspace(AGENT), PosixFilePermissions.fromString("rwxrwxrwx"));
        fixture.write(AGENT, FILE, """
                services:
                  evil: {image: "maestro-test/busybox:latest", command: %1$s, user: root, group_add: ["42"], volumes: [".:/live"]}
                  heir: {image: "maestro-test/busybox:latest", command: %1$s, group_add: ["42"], volumes_from: [evil]}
                """.formatted(SLEEP));
        ComposeStack stack = fixture.stack(AGENT);
        StackReport report = stack.up(FILE, List.of(), LIMIT);
        for (String service : List.of("evil", "heir")) {
            fixture.exec(
                    stack,
                    service,
                    "sh",
                    "-c",
                    "cd /live; cp /bin/busybox %1$s; chgrp 42 %1$s; chmod 6755 %1$s; true".formatted(service));
            Path made = fixture.workspace(AGENT).resolve(service);
            assertThat(Files.getAttribute(made, "unix:uid")).as(service).isEqualTo(4242);
            assertThat(Files.getAttribute(made, "unix:gid")).as(service).isEqualTo(4242);
        }
        assertThat(report.notes().toString()).contains("runs as the workspace's owner, 4242:4242");
        assertThat(fixture.exec(stack, "evil", "sh", "-c", "grep CapBnd /proc/self/status"))
                .contains("0000000000000000");
    }

    @Test
    @Full("a stack of its own; what is checked is what compose prints")
    void onlyNamedServicesStartAndProfilesHold() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  a: {image: "maestro-test/busybox:latest", command: %1$s}
                  b: {image: "maestro-test/busybox:latest", command: %1$s}
                  tool: {image: "maestro-test/busybox:latest", command: %1$s, profiles: [tools]}
                """.formatted(SLEEP));
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of("b"), LIMIT).services())
                .extracting(ServiceState::service)
                .containsExactly("b");
        assertThat(stack.up(FILE, List.of(), LIMIT).services())
                .extracting(ServiceState::service)
                .containsExactly("a", "b");
        assertThat(stack.up(FILE, List.of("tool"), LIMIT).services())
                .extracting(ServiceState::service)
                .contains("tool");
        assertThatThrownBy(() -> stack.up(FILE, List.of("--help"), LIMIT)).isInstanceOf(ComposeRefusedException.class);
        assertThatThrownBy(() -> stack.up(FILE, List.of("nobody"), LIMIT)).hasMessageContaining("no service 'nobody'");
    }

    @Full("ServiceSettingsTest publishes ports and keeps names by the settings")
    @Test
    void portsAreOnTheLoopbackAndNamesKeptWhereThatIsAllowed() throws Exception {
        String name = "maestro-test-" + UUID.randomUUID();
        fixture.write(AGENT, FILE, """
                services:
                  a: {image: "maestro-test/busybox:latest", command: %s, container_name: "%s", ports: ["0.0.0.0::80"]}
                """.formatted(SLEEP, name));
        ComposeStack stack = fixture.stack(AGENT, ComposeRules.standard().with(true, true));
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(fixture.cli.output("port", name)).contains("127.0.0.1:").doesNotContain("0.0.0.0:");
        fixture.write(
                AGENT, FILE, "services: {a: {image: 'maestro-test/busybox:latest', ports: ['41000-41020:80-100']}}");
        assertThatThrownBy(() -> stack.up(FILE, List.of(), LIMIT))
                .hasMessageContaining("21 are more than the 20 that one service may publish");
    }

    @Test
    @Full("ComposeCrashTest brings down what a killed life has left")
    void isBroughtDownWhenItsFileIsLostAndByAnotherLife() throws Exception {
        fixture.write(AGENT, FILE, SHARED);
        fixture.write(AGENT, "site/index.html", "hello");
        assertThat(fixture.stack(AGENT).up(FILE, List.of(), LIMIT).problem()).isEmpty();
        SafeDirectory.deleteTree(directory.resolve("state"));
        SafeDirectory.deleteTree(fixture.workspace(AGENT));
        Instance later = new Instance(fixture.instance.id(), Instance.newId(), directory);
        DockerCli cli = new DockerCli(DockerHost.local());
        assertThat(fixture.leftovers()).isNotEmpty();
        Path gone = directory.resolve("gone");
        new ComposeStack(
                        cli,
                        later,
                        AGENT,
                        new StackOwner(
                                gone,
                                Mount.bind(gone, "/workspace"),
                                "0:0",
                                directory.resolve("state"),
                                ComposeRules.standard(),
                                Optional.empty(),
                                List::of,
                                fixture.images()))
                .down();
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    @Full("runsWhatAFileDescribesAndRemovesAllOfIt looks for every kind of object")
    void anonymousVolumesOfServicesThatWentAreGone() throws Exception {
        String withVolume = """
                services:
                  %s:
                    build: {context: ., dockerfile_inline: "FROM maestro-test/busybox:latest\\nVOLUME /declared\\n"}
                    command: %s
                """;
        fixture.write(AGENT, FILE, withVolume.formatted("old", SLEEP));
        ComposeStack stack = fixture.stack(AGENT);
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        String volume = fixture.cli.output(
                "inspect",
                "--format",
                "{{range .Mounts}}{{.Name}}{{end}}",
                stack.status().get(0).id());
        assertThat(volume).hasSize(64);
        fixture.write(AGENT, FILE, withVolume.formatted("new", SLEEP));
        assertThat(stack.up(FILE, List.of(), LIMIT).problem()).isEmpty();
        assertThat(fixture.cli.output("volume", "ls", "-q", "--filter", "name=" + volume))
                .isEmpty();
    }

    @Test
    void podmanHasNoCompose() throws Exception {
        fixture.write(AGENT, FILE, SHARED);
        Path workspace = fixture.workspace(AGENT);
        ComposeStack stack = new ComposeStack(
                new DockerCli(DockerHost.builder().program("podman").build()),
                fixture.instance,
                AGENT,
                new StackOwner(
                        workspace,
                        Mount.bind(workspace, "/workspace"),
                        "0:0",
                        directory.resolve("state"),
                        ComposeRules.standard(),
                        Optional.empty(),
                        List::of,
                        fixture.images()));
        assertThatThrownBy(() -> stack.up(FILE, List.of(), LIMIT)).hasMessageContaining("not available with podman");
    }
}
