package io.maestro.web.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** Addresses that begin with the same bits. Immutable. */
public final class AddressBlock {
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,2}");
    private static final Pattern V6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");

    private final InetAddress first;
    private final int length;

    private AddressBlock(InetAddress first, int length) {
        this.first = first;
        this.length = length;
    }

    /**
     * Reads a block.
     *
     * @param text an address in its usual form, alone or with the number of bits that count, as in {@code 10.1.0.0/16}
     * @throws IllegalArgumentException when it is something else
     */
    public static AddressBlock of(String text) {
        int slash = text.indexOf('/');
        Optional<InetAddress> first = address(slash < 0 ? text : text.substring(0, slash));
        int bits = first.map(address -> address.getAddress().length * 8).orElse(0);
        String length = slash < 0 ? String.valueOf(bits) : text.substring(slash + 1);
        if (first.isEmpty() || !NUMBER.matcher(length).matches() || Integer.parseInt(length) > bits) {
            throw new IllegalArgumentException("'" + text
                    + "' is neither an address, such as 10.1.2.3 or fd12::1, nor a block of them, such as 10.1.0.0/16");
        }
        return new AddressBlock(first.get(), Integer.parseInt(length));
    }

    /** An address in its one usual form; empty for all that others may take for one, such as 127.1. Nothing is looked up. */
    static Optional<InetAddress> address(String text) {
        try {
            if (text.indexOf(':') < 0) {
                return v4(text);
            }
            // In brackets it is an address or an error, and never a name. One of IPv4 in disguise comes back without
            // it.
            return V6.matcher(text).matches()
                    ? Optional.of(InetAddress.getByName("[" + text + "]"))
                            .filter(found -> found.getAddress().length == 16)
                    : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static Optional<InetAddress> v4(String text) throws UnknownHostException {
        String[] numbers = text.split("\\.", -1);
        if (numbers.length != 4
                || !Arrays.stream(numbers)
                        .allMatch(number -> NUMBER.matcher(number).matches())) {
            return Optional.empty();
        }
        byte[] bytes = new byte[4];
        for (int i = 0; i < 4; i++) {
            int number = Integer.parseInt(numbers[i]);
            if (number > 255) {
                return Optional.empty();
            }
            bytes[i] = (byte) number;
        }
        return Optional.of(InetAddress.getByAddress(bytes));
    }

    boolean contains(InetAddress address) {
        byte[] own = first.getAddress();
        byte[] other = address.getAddress();
        if (own.length != other.length) {
            return false;
        }
        int bytes = length / 8;
        int rest = length % 8;
        return Arrays.equals(own, 0, bytes, other, 0, bytes)
                && (rest == 0 || ((own[bytes] ^ other[bytes]) & 0xff) >>> (8 - rest) == 0);
    }

    /** As it is written. */
    @Override
    public String toString() {
        return first.getHostAddress() + (length == first.getAddress().length * 8 ? "" : "/" + length);
    }
}
