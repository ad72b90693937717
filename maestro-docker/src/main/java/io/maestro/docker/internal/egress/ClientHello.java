package io.maestro.docker.internal.egress;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The first message of TLS, put together from the records that it comes in. Its name must be readable: one that is absent or
 * encrypted is refused.
 */
final class ClientHello {
    /** With keys against quantum computers they have about 2,000 bytes; nobody needs this much. */
    static final int MOST = 16 * 1024;

    private static final int HANDSHAKE = 22;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_NAME = 0;
    private static final Set<Integer> ENCRYPTED_NAMES = Set.of(0xfe0d, 0xffce, 0xfe08, 0xfe09, 0xfe0a);

    private ClientHello() {}

    /**
     * The name that a client asks for.
     *
     * @param bytes all that it has sent
     * @return empty while the message is not complete
     * @throws EgressRefusedException when it is no such message, or has no name that can be read
     */
    static Optional<String> name(byte[] bytes) throws EgressRefusedException {
        if (bytes.length > MOST) {
            throw new EgressRefusedException("the ClientHello has more than " + MOST + " bytes");
        }
        Optional<byte[]> message = message(ByteBuffer.wrap(bytes));
        if (message.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(serverName(ByteBuffer.wrap(message.get())));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new EgressRefusedException("the ClientHello is cut or longer than it says");
        }
    }

    /** The message without its head. */
    private static Optional<byte[]> message(ByteBuffer records) throws EgressRefusedException {
        ByteArrayOutputStream handshake = new ByteArrayOutputStream();
        while (true) {
            if (records.hasRemaining() && records.get(records.position()) != HANDSHAKE) {
                throw new EgressRefusedException("no TLS: the first bytes are no handshake");
            }
            if (records.remaining() > 1 && records.get(records.position() + 1) != 3) {
                throw new EgressRefusedException("no TLS: the first bytes are no handshake");
            }
            if (records.remaining() < 5) {
                return Optional.empty();
            }
            records.getShort();
            records.get();
            int length = Short.toUnsignedInt(records.getShort());
            if (length == 0 || length > MOST) {
                throw new EgressRefusedException("a TLS record has " + length + " bytes");
            }
            byte[] part = new byte[Math.min(length, records.remaining())];
            records.get(part);
            handshake.writeBytes(part);
            byte[] all = handshake.toByteArray();
            if (all.length > 0 && all[0] != CLIENT_HELLO) {
                throw new EgressRefusedException("the first message of TLS is no ClientHello");
            }
            if (all.length >= 4) {
                int size = (all[1] & 255) << 16 | (all[2] & 255) << 8 | all[3] & 255;
                if (size > MOST) {
                    throw new EgressRefusedException("the ClientHello says that it has " + size + " bytes");
                }
                if (all.length - 4 >= size) {
                    byte[] body = new byte[size];
                    System.arraycopy(all, 4, body, 0, size);
                    return Optional.of(body);
                }
            }
            if (part.length < length) {
                return Optional.empty();
            }
        }
    }

    private static String serverName(ByteBuffer hello) throws EgressRefusedException {
        skip(hello, 2 + 32);
        skip(hello, Byte.toUnsignedInt(hello.get()));
        skip(hello, Short.toUnsignedInt(hello.getShort()));
        skip(hello, Byte.toUnsignedInt(hello.get()));
        if (!hello.hasRemaining()) {
            throw new EgressRefusedException("the ClientHello names no server");
        }
        ByteBuffer extensions = part(hello);
        Set<Integer> seen = new HashSet<>();
        String name = null;
        while (extensions.hasRemaining()) {
            int type = Short.toUnsignedInt(extensions.getShort());
            ByteBuffer extension = part(extensions);
            if (!seen.add(type)) {
                throw new EgressRefusedException("the ClientHello has an extension twice");
            }
            if (ENCRYPTED_NAMES.contains(type)) {
                throw new EgressRefusedException("the ClientHello has an encrypted name; switch ECH off");
            }
            if (type == SERVER_NAME) {
                ByteBuffer list = part(extension);
                if (list.get() != 0) {
                    throw new EgressRefusedException("the ClientHello has a name of another kind");
                }
                ByteBuffer text = part(list);
                if (list.hasRemaining() || extension.hasRemaining()) {
                    throw new EgressRefusedException("the ClientHello names more than one server");
                }
                name = StandardCharsets.ISO_8859_1.decode(text).toString();
            }
        }
        if (hello.hasRemaining()) {
            throw new EgressRefusedException("the ClientHello is longer than it says");
        }
        if (name == null) {
            throw new EgressRefusedException("the ClientHello names no server");
        }
        return name;
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }

    private static ByteBuffer part(ByteBuffer buffer) {
        int length = Short.toUnsignedInt(buffer.getShort());
        ByteBuffer part = buffer.slice().limit(length);
        skip(buffer, length);
        return part;
    }
}
