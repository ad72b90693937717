package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestContainer;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What containers of an attempt reach, tried from inside of them. */
@RequiresEngine
class EgressTest {
    private static TestImages images;

    @TempDir
    Path directory;

    private Bench bench;
    private ServerSocket canary;
    private final AtomicInteger reached = new AtomicInteger();

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
    }

    @BeforeEach
    void open() throws IOException {
        bench = new Bench(directory, images, TestContainer.DEBIAN);
        // On all addresses of this machine, as careless services are.
        canary = new ServerSocket(0);
        Thread thread = new Thread(() -> {
            while (!canary.isClosed()) {
                try (Socket client = canary.accept()) {
                    reached.incrementAndGet();
                    client.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ncanary"
                                    .getBytes(StandardCharsets.US_ASCII));
                    client.shutdownOutput();
                } catch (IOException e) {
                    // Closed.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void close() throws IOException {
        canary.close();
        bench.close();
    }

    private Workplace place(String agent) {
        return new Workplace(agent, "story-1", 1, bench.workspace(agent), List.of());
    }

    private static String sh(StoryEnvironment environment, String script) {
        ExecResult result = environment
                .executor()
                .run(ExecRequest.shell(script).timeLimit(Duration.ofMinutes(2)).build());
        return result.stdout().text() + result.stderr().text();
    }

    @ParameterizedTest
    @ValueSource(booleans = false)
    @Shows(code = "container.network")
    void withNamesThereIsNoWayOutButTheProxy(boolean everyAddress) throws Exception {
        String name = "localhost";
        DockerProject project = bench.open(
                Map.of("network", "open"),
                DockerEnvironments.builder()
                        .container(all -> all.network(
                                Phase.CODING,
                                ContainerNetwork.names(
                                        List.of("*.example.org"), List.of(name + ":" + canary.getLocalPort())))),
                Map.of());
        StoryEnvironment environment = Bench.environment(project, place("coder-001"));
        environment.enter(Phase.CODING);
        // What is named is reached, over what the environment says.
        assertThat(sh(environment, "curl -s -m 20 --noproxy '' http://localhost:" + canary.getLocalPort() + "/x"))
                .isEqualTo("canary");
        assertThat(reached).hasValue(1);
        String addresses = addresses(everyAddress);
        String said = sh(environment, """
                ls /sys/class/net; cat /proc/net/route /proc/net/ipv6_route | grep -v lo$
                for a in %s; do
                  curl -s -m 3 --noproxy '*' http://$a:%d/ &
                  curl -s -m 3 --noproxy '' http://$a:%d/ -o /dev/null -w '%%{http_code} ' &
                  curl -s -m 3 --noproxy '' -k https://$a:%d/ -o /dev/null &
                done
                wait
                getent hosts tunnel.example.org || echo no name
                for s in 127.0.0.11 127.0.0.1 172.17.0.1 8.8.8.8; do
                  timeout 2 perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>"'$s'",PeerPort=>53,Proto=>"udp") or exit;
                    print $s "\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3abc\\7example\\3org\\0\\0\\1\\0\\1";
                    print "ANSWER" if defined sysread($s,$b,512)' &
                done
                wait
                ls /run/maestro-egress 2>&1
                """.formatted(
                        addresses, canary.getLocalPort(), canary.getLocalPort(), canary.getLocalPort()));
        assertThat(reached).as(said).hasValue(1);
        assertThat(said).contains("no name").doesNotContain("canary", "eth0", "ANSWER", " 200 ");
        assertThat(said).contains("403 ").contains("No such file");
        assertRecorded();
        // The same for the one that is thrown away.
        String thrown = environment.throwaway(
                Phase.CODING,
                environment.now().orElseThrow().image().id(),
                true,
                executor -> executor.executor()
                        .run(ExecRequest.shell("ls /sys/class/net; curl -s -m 20 --noproxy '' http://localhost:"
                                        + canary.getLocalPort())
                                .timeLimit(Duration.ofMinutes(1))
                                .build())
                        .stdout()
                        .text());
        assertThat(thrown).isEqualTo("lo\ncanary");
        assertFreshHasAWayOfItsOwn(environment);
        // Services of a stack are reached, and reach nothing themselves.
        bench.write("compose.yml", """
                services:
                  db: {image: "%s", command: ["sh", "-c", "while true; do printf 'HTTP/1.0 200 OK\\r\\n\\r\\nservice' | nc -l -p 8080; done"]}
                """.formatted("maestro-test/busybox:latest"));
        assertThat(environment
                        .stack()
                        .up("compose.yml", List.of(), Duration.ofMinutes(2))
                        .ok())
                .isTrue();
        // Without the proxy, which leads to none, as everywhere beside it.
        assertThat(
                        sh(
                                environment,
                                "curl -s -m 20 --retry 20 --retry-connrefused --retry-delay 1 http://db:8080/; echo; echo $MAVEN_OPTS"))
                .startsWith("service\n")
                .contains("-Dhttp.nonProxyHosts=localhost|127.*|[::1]|db ");
        assertThat(fresh(environment, "curl -s -m 20 --retry 20 --retry-connrefused --retry-delay 1 http://db:8080/"))
                .isEqualTo("service");
        String service = bench.running(project, "com.docker.compose.service=db");
        assertThat(bench.cli().output("exec", service, "env")).doesNotContainIgnoringCase("proxy");
        assertThat(bench.cli()
                        .run(
                                "exec",
                                service,
                                "sh",
                                "-c",
                                "timeout 3 nslookup example.org && echo NAME; for a in " + addresses
                                        + " $(ip route | awk '/default/ {print $3}'); do wget -q -T 1 -O - http://$a:"
                                        + canary.getLocalPort()
                                        + "/ & done; wait")
                        .stdout()
                        .text())
                .doesNotContain("NAME", "canary");
        long began = System.nanoTime();
        assertThat(sh(environment, "getent hosts example.org || echo no name")).contains("no name");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(40));
        sh(
                environment,
                "for a in " + addresses + "; do curl -s -m 1 --noproxy '*' http://$a:" + canary.getLocalPort()
                        + "/ & done; wait");
        assertThat(reached).hasValue(3);
    }

    @Test
    @Full("withNamesThereIsNoWayOutButTheProxy tries one address of each sort")
    void withNamesThereIsNoWayOutToAnyAddressOfThisMachine() throws Exception {
        withNamesThereIsNoWayOutButTheProxy(true);
    }

    private void assertRecorded() {
        assertThat(bench.connections)
                .anySatisfy(one -> {
                    assertThat(one.target()).isEqualTo("localhost:" + canary.getLocalPort());
                    assertThat(one.address()).contains("127.0.0.1");
                    assertThat(one.refused()).isEmpty();
                    assertThat(one.receivedBytes()).isPositive();
                })
                .anySatisfy(one -> {
                    assertThat(one.refused()).contains("addresses are not carried");
                    assertThat(one.address()).isEmpty();
                })
                .allSatisfy(one -> assertThat(one.agentId()).isEqualTo("coder-001"));
    }

    private static String addresses(boolean every) throws IOException {
        if (!every) {
            return "127.0.0.1 172.17.0.1 169.254.169.254 192.0.2.1 [::1]";
        }
        return "127.0.0.1 127.0.0.2 172.17.0.1 169.254.169.254 10.0.2.2 192.0.2.1 [::1] "
                + NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .map(InetAddress::getHostAddress)
                        .filter(address -> address.indexOf(':') < 0)
                        .collect(Collectors.joining(" "));
    }

    private String fresh(StoryEnvironment environment, String script) {
        return environment.runFresh(
                bench.workspace,
                null,
                executor -> executor.run(ExecRequest.shell(script)
                                .timeLimit(Duration.ofMinutes(1))
                                .build())
                        .stdout()
                        .text());
    }

    /** What is judged reaches the same names, but has no loopback in common with the agent, who could answer on it. */
    private void assertFreshHasAWayOfItsOwn(StoryEnvironment environment) {
        try (ExecProcess forger = environment
                .executor()
                .start(ExecRequest.shell(
                                "exec perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(LocalPort=>8081,Listen=>5)"
                                        + " or die; while($c=$s->accept){print $c qq(forged); close $c}'")
                        .build())) {
            String own = "curl -s -m 5 --http0.9 --noproxy '*' http://127.0.0.1:8081/";
            assertThat(sh(environment, "for i in $(seq 100); do " + own + " && break; sleep 0.1; done"))
                    .contains("forged");
            assertThat(fresh(
                            environment,
                            own + " || echo nobody; curl -s -m 20 --noproxy '' http://localhost:"
                                    + canary.getLocalPort()))
                    .isEqualTo("nobody\ncanary");
            assertThat(forger.isAlive()).isTrue();
        }
        assertThat(reached).hasValue(3);
    }

    @Test
    void openNetworksAreOfOneAttempt() throws Exception {
        DockerProject project = bench.open(Map.of("network", "open"));
        StoryEnvironment one = Bench.environment(project, place("coder-001"));
        StoryEnvironment two = Bench.environment(project, place("coder-002"));
        one.enter(Phase.CODING);
        two.enter(Phase.CODING);
        String first = network(one);
        String second = network(two);
        assertThat(first).isNotEqualTo(second).isNotEqualTo("bridge").contains("coder-001");
        String address = bench.inspect(two.now().orElseThrow().container().id())
                .path("NetworkSettings")
                .path("Networks")
                .path(second)
                .path("IPAddress")
                .asText();
        assertThat(address).isNotEmpty();
        try (ExecProcess server = two.executor()
                .start(ExecRequest.shell(
                                "exec perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(LocalPort=>8080,Listen=>5)"
                                        + " or die; while($c=$s->accept){print $c qq(neighbour); close $c}'")
                        .build())) {
            assertThat(sh(
                            two,
                            "for i in $(seq 100); do curl -s -m 5 --http0.9 http://" + address
                                    + ":8080/ && break; sleep 0.1; done"))
                    .contains("neighbour");
            assertNobodyElseReaches(address, one, two);
            assertUsersContainerIsNotReached(one);
            assertThat(server.isAlive()).isTrue();
        }
        one.close();
        assertThat(bench.containers(project))
                .containsExactly(two.now().orElseThrow().container().id());
        two.close();
        assertThat(bench.networks(project)).isEmpty();
    }

    private static String askedFromHere(String address) throws Exception {
        URLConnection connection =
                URI.create("http://" + address + ":8080/").toURL().openConnection();
        connection.setReadTimeout(30_000);
        for (int i = 0; ; i++) {
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            } catch (IOException e) {
                assertThat(i).as("tries").isLessThan(100);
                Thread.sleep(100);
                connection = URI.create("http://" + address + ":8080/").toURL().openConnection();
            }
        }
    }

    /** On the network that a user's containers are on when nobody says anything. */
    private void assertUsersContainerIsNotReached(StoryEnvironment agent) throws Exception {
        String user = bench.cli()
                .output(
                        "run",
                        "--detach",
                        "maestro-test/busybox:latest",
                        "sh",
                        "-c",
                        "while true; do printf 'HTTP/1.0 200 OK\\r\\nContent-Length: 7\\r\\n\\r\\nprivate' | nc -l -p 8080; done");
        try {
            String address = bench.inspect(user)
                    .path("NetworkSettings")
                    .path("Networks")
                    .path("bridge")
                    .path("IPAddress")
                    .asText();
            assertThat(askedFromHere(address)).isEqualTo("private");
            assertThat(sh(agent, reached(address))).isEqualTo("nobody\n");
        } finally {
            bench.cli().output("rm", "--force", user);
        }
    }

    /**
     * A script that asks port 8080 of an address. It asks again when there was an answer: an engine lifts the isolation
     * of its networks for some milliseconds whenever one is made (seen with 20.10 at 16 of 60), and other tests make some.
     */
    private static String reached(String address) {
        return "for i in 1 2 3 4; do curl -s -m 2 --http0.9 http://" + address
                + ":8080/ || { echo nobody; exit; }; done 2>&1 | tail -n 1 | grep -o 'nobody$'";
    }

    private static void assertNobodyElseReaches(String address, StoryEnvironment one, StoryEnvironment two) {
        assertThat(sh(one, reached(address))).isEqualTo("nobody\n");
        // Nor does its own throwaway container reach it, or the other way round.
        String thrown = two.throwaway(
                Phase.CODING,
                two.now().orElseThrow().image().id(),
                true,
                executor -> executor.executor()
                        .run(ExecRequest.shell(reached(address)).build())
                        .stdout()
                        .text());
        assertThat(thrown).isEqualTo("nobody\n");
    }

    private String network(StoryEnvironment environment) {
        return bench.inspect(environment.now().orElseThrow().container().id())
                .path("HostConfig")
                .path("NetworkMode")
                .asText();
    }

    @Test
    void aListThatCannotBeUnderstoodIsAnError() {
        assertThatThrownBy(() -> bench.open(Map.of("network", List.of("maven", "127.0.0.1"))))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("container.network")
                .hasMessageContaining("127.0.0.1");
        assertThatThrownBy(() -> bench.open(Map.of("network", Map.of("allow", List.of("a.org"), "deny", List.of()))))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("deny");
    }
}
