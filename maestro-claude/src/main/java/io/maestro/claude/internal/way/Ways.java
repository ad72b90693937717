package io.maestro.claude.internal.way;

import io.maestro.claude.McpWay;
import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.error.MaestroException;
import java.util.Optional;

/**
 * How the CLI in an environment and the host reach each other, in the phase that the environment is in.
 *
 * @param mcp how it reaches the tools
 * @param api how it reaches the gateway
 * @param socketDirectory where it sees the host's sockets; there when the API is reached over one
 * @param route how it reaches servers of the host; there when one of the ways is a server's
 */
public record Ways(McpWay mcp, ApiWay api, Optional<String> socketDirectory, Optional<HostRoute> route) {
    private static final String NO_ROUTE = "the environment cannot reach servers of the host in this phase";

    /**
     * Chooses them. Without a wish the tools are reached over the CLI's own input and output, and the API over a socket where
     * there is one: both work without a network.
     *
     * @param mcp the host's wish for the tools; empty to choose
     * @param api the host's wish for the API; empty to choose
     * @param environment where the CLI will run; it has been entered
     * @return ways that work there
     * @throws MaestroException when a wish cannot be met, or there is no way to the API
     */
    public static Ways choose(Optional<McpWay> mcp, Optional<ApiWay> api, Environment environment) {
        Optional<String> sockets = environment.socketDirectory();
        Optional<HostRoute> route = environment.hostRoute();
        McpWay tools = mcp.orElse(McpWay.CONTROL_CHANNEL);
        if (tools != McpWay.CONTROL_CHANNEL && route.isEmpty()) {
            throw new MaestroException("Claude Code cannot reach the tools by the way " + tools + ": " + NO_ROUTE
                    + "; use " + McpWay.CONTROL_CHANNEL + ", which needs no network, or let the choice be made"
                    + " automatically");
        }
        ApiWay gateway = api.orElse(sockets.isPresent() || route.isEmpty() ? ApiWay.SOCKET : ApiWay.HTTP);
        if (gateway == ApiWay.SOCKET && sockets.isEmpty()) {
            String noSocket = "no socket of the host can be reached from the environment, as from an engine on another"
                    + " machine";
            throw new MaestroException("Claude Code cannot reach the API: " + noSocket
                    + (route.isEmpty()
                            ? ", and " + NO_ROUTE + "; give this phase a network that reaches the host, or run its"
                                    + " containers on an engine of this machine"
                            : "; use " + ApiWay.HTTP + ", which works there, or let the choice be made automatically"));
        }
        if (gateway == ApiWay.HTTP && route.isEmpty()) {
            throw new MaestroException("Claude Code cannot reach the API by the way HTTP: " + NO_ROUTE
                    + (sockets.isPresent()
                            ? "; use " + ApiWay.SOCKET + ", which works there, or let the choice be made automatically"
                            : ", and no socket of the host either; give this phase a network that reaches the host"));
        }
        boolean routed = tools != McpWay.CONTROL_CHANNEL || gateway == ApiWay.HTTP;
        return new Ways(
                tools,
                gateway,
                gateway == ApiWay.SOCKET ? sockets : Optional.empty(),
                routed ? route : Optional.empty());
    }
}
