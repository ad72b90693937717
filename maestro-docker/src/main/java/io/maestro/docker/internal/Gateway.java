package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.Inspector.ObjectKind;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the address that the engine's machine has on a bridge. Docker lists it for some networks only: not for one that was made
 * with a subnet and without a gateway, and for the default bridge only after a second start of the engine. Then the interface of
 * the bridge tells it, where the engine runs on this machine.
 */
final class Gateway {
    /** Never a name, which would be looked up. */
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private Gateway() {}

    static Optional<InetAddress> of(Inspector inspector, EngineFacts facts, String network) {
        if (network.equals("none")) {
            return Optional.empty();
        }
        String name = facts.podman() && network.equals("bridge") ? "podman" : network;
        return inspector.find(ObjectKind.NETWORK, name).flatMap(Gateway::of);
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
        return ofInterface(network);
    }

    private static Optional<InetAddress> ofInterface(JsonNode network) {
        String id = network.path("Id").asText();
        String name = network.path("Options")
                .path("com.docker.network.bridge.name")
                .asText("br-" + id.substring(0, Math.min(12, id.length())));
        Set<String> subnets = new HashSet<>();
        network.path("IPAM")
                .path("Config")
                .forEach(subnet -> subnets.add(subnet.path("Subnet").asText()));
        try {
            NetworkInterface bridge = NetworkInterface.getByName(name);
            return bridge == null
                    ? Optional.empty()
                    : bridge.getInterfaceAddresses().stream()
                            // Another engine's bridge may have this name.
                            .filter(address -> subnets.contains(subnet(address)))
                            .map(InterfaceAddress::getAddress)
                            .findFirst();
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    /** As docker writes it; empty for IPv6. */
    private static String subnet(InterfaceAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        if (bytes.length != 4) {
            return "";
        }
        int prefix = address.getNetworkPrefixLength();
        int network = ByteBuffer.wrap(bytes).getInt() & (prefix == 0 ? 0 : -1 << (32 - prefix));
        return (network >>> 24) + "." + (network >>> 16 & 255) + "." + (network >>> 8 & 255) + "." + (network & 255)
                + "/" + prefix;
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
