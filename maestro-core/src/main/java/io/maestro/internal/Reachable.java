package io.maestro.internal;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Which addresses are on the internet, and none of this machine, its networks or its cloud: the one place that knows. */
public final class Reachable {
    /** Address and length of what is no part of the internet, or only seems to be. */
    private static final List<int[]> NOT_V4 = List.of(
            block(0, 0, 0, 8),
            block(10, 0, 0, 8),
            block(100, 64, 0, 10),
            block(127, 0, 0, 8),
            block(169, 254, 0, 16),
            block(172, 16, 0, 12),
            block(192, 0, 0, 24),
            block(192, 0, 2, 24),
            block(192, 31, 196, 24),
            block(192, 52, 193, 24),
            block(192, 88, 99, 24),
            block(192, 168, 0, 16),
            block(192, 175, 48, 24),
            block(198, 18, 0, 15),
            block(198, 51, 100, 24),
            block(203, 0, 113, 24),
            block(224, 0, 0, 3));

    /** Of 2000::/3: Teredo and other protocols, documentation, addresses of IPv4 in disguise. */
    private static final List<int[]> NOT_V6 =
            List.of(new int[] {0x20010000, 23}, new int[] {0x20010db8, 32}, new int[] {0x20020000, 16}, new int[] {
                0x3fff0000, 20
            });

    /** Where clouds answer their machines (Azure, Alibaba, Oracle), beside link-local addresses. */
    private static final List<int[]> CLOUD_V4 =
            List.of(block(168, 63, 129, 16, 32), block(100, 100, 100, 200, 32), block(192, 0, 0, 192, 32));

    private Reachable() {}

    private static int[] block(int a, int b, int c, int length) {
        return block(a, b, c, 0, length);
    }

    private static int[] block(int a, int b, int c, int d, int length) {
        return new int[] {a << 24 | b << 16 | c << 8 | d, length};
    }

    /** Whether anybody may be sent there. */
    public static boolean isPublic(InetAddress address) {
        return isGlobal(address) && !isOurs(address);
    }

    /** Whether the host may allow the address: private ones too, but none that is nobody's or where a cloud gives out credentials. */
    public static boolean canBeAllowed(InetAddress address) {
        return !address.isAnyLocalAddress()
                && !address.isLinkLocalAddress()
                && !address.isMulticastAddress()
                && !isBlocked(address);
    }

    private static boolean isBlocked(InetAddress address) {
        int first = first(address);
        return address instanceof Inet4Address
                ? isCloudV4(first) || in(first, block(0, 0, 0, 8)) || in(first, block(240, 0, 0, 4))
                : address instanceof Inet6Address v6 && (v6.isIPv4CompatibleAddress() || isCloudV6(v6));
    }

    private static boolean isCloudV4(int address) {
        return CLOUD_V4.stream().anyMatch(block -> in(address, block));
    }

    /** fd00:ec2::/32, where machines of a cloud ask for their credentials. */
    private static boolean isCloudV6(Inet6Address address) {
        return first(address) == 0xfd000ec2;
    }

    private static boolean isGlobal(InetAddress address) {
        int first = first(address);
        if (address instanceof Inet4Address) {
            return !isCloudV4(first) && NOT_V4.stream().noneMatch(block -> in(first, block));
        }
        return in(first, new int[] {0x20000000, 3}) && NOT_V6.stream().noneMatch(block -> in(first, block));
    }

    private static int first(InetAddress address) {
        byte[] bytes = address.getAddress();
        return (bytes[0] & 255) << 24 | (bytes[1] & 255) << 16 | (bytes[2] & 255) << 8 | bytes[3] & 255;
    }

    private static boolean in(int address, int[] block) {
        return (address ^ block[0]) >>> (32 - block[1]) == 0;
    }

    private static boolean isOurs(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }
}
