package io.maestro.claude.internal.way;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.McpWay;
import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaysTest {
    private static final HostRoute ROUTE = new HostRoute(InetAddress.getLoopbackAddress(), "host.internal");

    private record Place(Optional<String> socketDirectory, Optional<HostRoute> hostRoute) implements Environment {
        @Override
        public void enter(Phase phase) {}

        @Override
        public Executor executor() {
            throw new AssertionError("not asked for");
        }

        @Override
        public void close() {}

        @Override
        public void remove() {}

        @Override
        public <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands) {
            throw new AssertionError();
        }
    }

    private static Ways choose(McpWay mcp, ApiWay api, boolean sockets, boolean route) {
        Environment place = new Place(
                sockets ? Optional.of("/run/maestro") : Optional.empty(),
                route ? Optional.of(ROUTE) : Optional.empty());
        return Ways.choose(Optional.ofNullable(mcp), Optional.ofNullable(api), place);
    }

    @ParameterizedTest
    @CsvSource({
        // wish for tools, for the API, sockets, route; chosen
        ",,true,false,CONTROL_CHANNEL,SOCKET",
        ",,true,true,CONTROL_CHANNEL,SOCKET",
        ",,false,true,CONTROL_CHANNEL,HTTP",
        ",HTTP,true,true,CONTROL_CHANNEL,HTTP",
        ",SOCKET,true,true,CONTROL_CHANNEL,SOCKET",
        "CONTROL_CHANNEL,,true,false,CONTROL_CHANNEL,SOCKET",
        "HTTP,,true,true,HTTP,SOCKET",
        "HTTP,,false,true,HTTP,HTTP",
        "PROXY,,true,true,PROXY,SOCKET",
        "PROXY,HTTP,false,true,PROXY,HTTP",
    })
    void theWaysThatWorkAreChosen(
            McpWay mcp, ApiWay api, boolean sockets, boolean route, McpWay tools, ApiWay gateway) {
        Ways ways = choose(mcp, api, sockets, route);

        assertThat(ways.mcp()).isEqualTo(tools);
        assertThat(ways.api()).isEqualTo(gateway);
        assertThat(ways.socketDirectory().isPresent()).isEqualTo(gateway == ApiWay.SOCKET);
        assertThat(ways.route().isPresent()).isEqualTo(tools != McpWay.CONTROL_CHANNEL || gateway == ApiWay.HTTP);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|     |false|false|give this phase a network that reaches the host",
                "|SOCKET|false|true|use HTTP, which works there",
                "|SOCKET|false|false|no socket of the host can be reached",
                "|HTTP|true|false|use SOCKET, which works there",
                "|HTTP|false|false|give this phase a network that reaches the host",
                "HTTP||true|false|cannot reach the tools by the way HTTP",
                "PROXY||true|false|use CONTROL_CHANNEL, which needs no network",
            })
    void whatCannotWorkIsSaidWithWhatToDo(McpWay mcp, ApiWay api, boolean sockets, boolean route, String message) {
        assertThatThrownBy(() -> choose(mcp, api, sockets, route))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message);
    }
}
