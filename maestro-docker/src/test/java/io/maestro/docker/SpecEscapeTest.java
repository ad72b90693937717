package io.maestro.docker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.maestro.docker.ContainerStartException.Reason;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.TestEngine;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ways out of a container, tried through its description. */
class SpecEscapeTest {
    private static ContainerSpec.Builder spec() {
        return ContainerSpec.builder("maestro-test/busybox:latest", "test");
    }

    private static Arguments attempt(Consumer<ContainerSpec.Builder> attempt, String reason) {
        return arguments(attempt, reason);
    }

    private static Arguments mount(String source, String reason) {
        return attempt(it -> it.mount(Mount.bind(Path.of(source), "/x")), reason);
    }

    static Stream<Arguments> attempts() {
        String image = "is no image";
        String network = "never the host's";
        String away = "gives the machine away and is never mounted";
        String absolute = "a mount needs an absolute path without quotes and control characters";
        return Stream.of(
                attempt(it -> it.image("--privileged"), image),
                attempt(it -> it.image("-v/:/x"), image),
                attempt(it -> it.image(""), image),
                attempt(it -> it.image("a b"), image),
                attempt(it -> it.image("a\n--privileged"), image),
                attempt(it -> it.image("a;id"), image),
                attempt(it -> it.image("$(id)"), image),
                attempt(it -> it.image("../etc"), image),
                attempt(it -> it.image("/etc/passwd"), image),
                attempt(it -> it.image("docker-archive:/etc/x\u0000"), image),
                attempt(it -> it.role("../../x"), "a role has lower-case letters"),
                attempt(it -> it.role("a/b"), "a role has lower-case letters"),
                attempt(it -> it.role("--rm"), "a role has lower-case letters"),
                attempt(it -> it.role("a b"), "a role has lower-case letters"),
                attempt(it -> it.label("a\nb", "c"), "the name of a label"),
                attempt(it -> it.label("a", "b\nc=d"), "holds a control character"),
                attempt(it -> it.label("a=b", "c"), "the name of a label"),
                attempt(it -> it.label("--x", "c"), "the name of a label"),
                attempt(it -> it.environment("A", "b\nLD_PRELOAD=c"), "holds a line break or NUL"),
                attempt(it -> it.environment("A", "b\rC=d"), "holds a line break or NUL"),
                attempt(it -> it.environment("A", "b\u0000"), "holds a line break or NUL"),
                attempt(it -> it.environment("A", "x".repeat(70_000)), "is longer than"),
                attempt(it -> it.environment("A\nB", "c"), "not the name of an environment variable"),
                attempt(it -> it.environment("A=B", "c"), "not the name of an environment variable"),
                attempt(it -> it.environment("#A", "c"), "not the name of an environment variable"),
                attempt(it -> it.network("host"), network),
                attempt(it -> it.network("container:abc"), network),
                attempt(it -> it.network("ns:/proc/1/ns/net"), network),
                attempt(it -> it.network("--privileged"), network),
                attempt(it -> it.network(""), network),
                attempt(it -> it.network("bridge:ip=1.2.3.4"), network),
                attempt(it -> it.network("slirp4netns:allow_host_loopback=true"), network),
                attempt(it -> it.network("a,b"), network),
                attempt(it -> it.user("--privileged"), "not a user"),
                attempt(it -> it.user("0:0:0"), "not a user"),
                attempt(it -> it.user("a b"), "not a user"),
                attempt(it -> it.workingDirectory("../x"), "a working directory in a container is absolute"),
                attempt(it -> it.workingDirectory("/x\ny"), "a working directory in a container is absolute"),
                attempt(it -> it.tmpfs("/x:exec", ""), "not a tmpfs"),
                attempt(it -> it.tmpfs("/x", "size=1m,mode=1777:/y"), "not a tmpfs"),
                attempt(it -> it.tmpfs("x", ""), "not a tmpfs"),
                attempt(it -> it.addHost("a:b", "1.2.3.4"), "not a host and its address"),
                attempt(it -> it.addHost("a", "1.2.3.4 b"), "not a host and its address"),
                attempt(it -> it.addHost("--privileged", "1.2.3.4"), "not a host and its address"),
                attempt(it -> it.command(List.of()), "must name a program"),
                attempt(it -> it.command(List.of("")), "must name a program"),
                attempt(it -> it.limits(new ContainerLimits(0, 1 << 30, 5)), "cpus must be"),
                attempt(it -> it.limits(new ContainerLimits(1e-10, 1 << 30, 5)), "cpus must be"),
                attempt(it -> it.limits(new ContainerLimits(0.0099, 1 << 30, 5)), "cpus must be"),
                attempt(it -> it.limits(new ContainerLimits(Double.NaN, 1 << 30, 5)), "cpus must be"),
                attempt(it -> it.limits(new ContainerLimits(1, -1, 5)), "memory must be"),
                attempt(it -> it.limits(new ContainerLimits(1, 1 << 30, -1)), "pids must be"),
                mount("/", away),
                mount("/home/..", away),
                mount("//", away),
                mount("/var/run/docker.sock", away),
                mount("/run/docker.sock", away),
                mount("/srv/../var/run/docker.sock", away),
                mount("/var/run", away),
                mount("/run/user/1000/podman", away),
                mount("/var", away),
                mount("/run/podman/podman.sock", away),
                mount("/proc", away),
                mount("/proc/1/root", away),
                mount("/sys/fs/cgroup", away),
                mount("/dev/sda", away),
                mount("/etc", away),
                mount("/var/lib/docker", away),
                mount("relative", absolute),
                mount("/x\",readonly", absolute),
                mount("/x\ny", absolute),
                attempt(it -> it.mount(Mount.bind(Path.of("/srv"), "x")), absolute),
                attempt(it -> it.mount(Mount.bind(Path.of("/srv"), "/x\"y")), absolute),
                attempt(it -> it.mount(Mount.volume("../x", "/x")), "not the name of a volume"),
                attempt(it -> it.mount(Mount.volume("/", "/x")), "not the name of a volume"),
                attempt(it -> it.mount(Mount.volume("a,type=bind", "/x")), "not the name of a volume"),
                attempt(it -> it.mount(Mount.volume("-v", "/x")), "not the name of a volume"));
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void itIsRefusedWithItsReason(Consumer<ContainerSpec.Builder> attempt, String reason) {
        assertThatThrownBy(() -> attempt.accept(spec()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void aLinkToTheMachineIsTheMachine(@TempDir Path directory) throws IOException {
        for (String target : List.of("/", "/etc", "/proc/self")) {
            Path link = Files.createSymbolicLink(directory.resolve("link" + target.length()), Path.of(target));
            assertThatThrownBy(() -> Mount.bind(link, "/x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("gives the machine away");
            Files.delete(link);
        }
    }

    @Test
    void anAgentsNameIsNoWayOut() {
        Instance instance = new Instance(Instance.newId(), Instance.newId(), Path.of("/p"));
        assertAll(Stream.of("", "../x", "a/b", "-a", "a b", "a\nb", "x".repeat(65))
                .map(name -> () -> assertThatThrownBy(() -> instance.uniqueName(name, "test"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("the id of an agent has letters")));
    }

    /** The engine takes the beginning of an id for a name. */
    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void theHostsNetworkIsNotToBeHadByItsId(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            String id = test.engine.cli().output("network", "ls", "--quiet", "--no-trunc", "--filter", "driver=host");
            for (String name : id.isEmpty() ? List.<String>of() : List.of(id, id.substring(0, 12))) {
                refused(test, spec().network(name), "is the host's, which no container gets");
            }
            refused(test, spec().network("private"), "there is no network 'private'");
            refused(test, spec().network("slirp4netns"), "there is no network 'slirp4netns'");
            refused(test, spec().mount(Mount.volume("none-such", "/x")), "there is no volume 'none-such'");
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void theHostsNetworkIsNotToBeHadByItsIdOnPodman() {
        theHostsNetworkIsNotToBeHadByItsId(TestEngine.EngineKind.PODMAN);
    }

    private static void refused(TestEngine test, ContainerSpec.Builder spec, String reason) {
        assertThatThrownBy(() ->
                        test.engine.start("a1", spec.image(test.kind.busybox()).build()))
                .asInstanceOf(InstanceOfAssertFactories.throwable(ContainerStartException.class))
                .hasMessageContaining(reason)
                .extracting(ContainerStartException::reason)
                .isEqualTo(Reason.REFUSED);
    }
}
