package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How ways in are opened and cut, and what is left behind. */
class ApiGatewayLifeTest extends GatewayBench {
    @ParameterizedTest
    @EnumSource
    void aCutBreaksOffWhatRunsAndRefusesWhatComes(Way way) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch cut = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        api.script((exchange, seen) -> {
            if (first.getAndSet(false)) {
                begin(exchange);
                // A cut while a piece is on its way to the client counts what the answer may have.
                cut.await();
                goOnUntilTheClientIsGone(exchange, ended);
            } else {
                asked.countDown();
                ended.await();
            }
        });
        ApiGateway gateway = gateway(patient());
        ApiAccess access = open(way, gateway);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_start");
            Future<RawClient.Response> waiting = threads.submit(() -> RawClient.message(access, true));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

            gateway.cut("the run was cancelled");
            cut.countDown();

            assertThat(RawClient.read(channel).whole()).isFalse();
            RawClient.Response other = waiting.get(30, TimeUnit.SECONDS);
            assertThat(other.status()).isEqualTo(400);
            assertThat(other.body()).contains("the run was cancelled");
        }
        assertThat(ended.await(30, TimeUnit.SECONDS)).as("the API was let go").isTrue();
        // What is not known of either counts with what it may be at most.
        until(() -> host.used.size() == 2);
        long input = 1000 + RawClient.body(true).length() / 2;
        assertThat(host.used)
                .containsExactlyInAnyOrder(
                        "claude-test-1 " + new Usage(11, 1000, 33, 22),
                        "claude-test-1 " + new Usage(0, 1000, 0, input, input));
        RawClient.Response later = RawClient.message(access, true);
        assertThat(later.status()).isEqualTo(400);
        assertThat(later.headers()).containsEntry("X-Should-Retry", "false");
        assertThat(api.seen).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void afterCloseNothingIsLeft(Way way) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        api.script((exchange, seen) -> beginAndGoOnUntilTheClientIsGone(exchange, ended));
        ApiGateway gateway = gateway(patient());
        ApiAccess access = open(way, gateway);
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_start");

            gateway.close();

            assertThat(RawClient.read(channel).whole()).isFalse();
        }
        assertThat(host.used).as("told before close returned").hasSize(1);
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        if (way == Way.HTTP) {
            assertThatThrownBy(() -> RawClient.connect(access)).isInstanceOf(ConnectException.class);
        }
        assertThat(temp.resolve("api.sock")).doesNotExist();
        until(() -> gatewayThreads().isEmpty());
        assertThatThrownBy(() -> open(way, gateway))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("closed");
        gateway.close();
    }

    @Test
    void itKeepsNoJvmAlive() throws IOException {
        api.close();
        gateway(patient());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("HTTP-Dispatcher")
                        || thread.getName().startsWith("maestro-gateway"))
                .isNotEmpty()
                .filteredOn(Thread::isAlive)
                .allMatch(Thread::isDaemon);
    }

    private static List<String> gatewayThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("maestro-gateway"))
                .toList();
    }

    @Test
    void aSocketIsForAllWhoReachItAndReplacesOnlyADeadOne() throws Exception {
        Path file = temp.resolve("api.sock");
        ApiGateway first = gateway(patient());
        first.overSocket(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw-rw-");
        assertThatThrownBy(() -> gateway(patient()).overSocket(file))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("in use");
        Files.move(file, temp.resolve("kept"));
        first.close();
        Files.move(temp.resolve("kept"), file);

        ApiAccess access = gateway(patient()).overSocket(file);
        assertThat(RawClient.message(access, true).status()).isEqualTo(200);
    }

    @Test
    void aPathThatIsTooLongIsSaid() throws IOException {
        Path deep = Files.createDirectories(temp.resolve("d".repeat(100)));
        assertThatThrownBy(() -> gateway(patient()).overSocket(deep.resolve("api.sock")))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("too long");
    }
}
