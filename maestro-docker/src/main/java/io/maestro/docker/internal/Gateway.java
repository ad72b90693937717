package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.Inspector.Kind;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds the address that the engine's machine has on a bridge. */
final class Gateway {
    /** Never a name, which would be looked up. */
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private Gateway() {}

    static Optional<InetAddress> of(Inspector inspector, EngineFacts facts, String network) {
        if (network.equals("none")) {
            return Optional.empty();
        }
        String name = facts.podman() && network.equals("bridge") ? "podman" : network;
        return inspector.find(Kind.NETWORK, name).flatMap(Gateway::of);
    }

    private static Optional<InetAddress> of(JsonNode network) {
        // On a network of another kind it is somebody else's machine.
        if (!network.path(network.has("Driver") ? "Driver" : "driver").asText().equals("bridge")) {
            return Optional.empty();
        }
        for (JsonNode subnet : network.path("IPAM").path("Config")) {
            Optional<InetAddress> address = address(subnet.path("Gateway").asText());
            if (address.isPresent()) {
                return address;
            }
        }
        for (JsonNode subnet : network.path("subnets")) {
            Optional<InetAddress> address = address(subnet.path("gateway").asText());
            if (address.isPresent()) {
                return address;
            }
        }
        return Optional.empty();
    }

    private static Optional<InetAddress> address(String text) {
        // Older engines write the length of the prefix behind it.
        String bare = text.replaceFirst("/.*", "");
        try {
            return ADDRESS.matcher(bare).matches() ? Optional.of(InetAddress.getByName(bare)) : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }
}
