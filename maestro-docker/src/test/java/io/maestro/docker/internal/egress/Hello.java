package io.maestro.docker.internal.egress;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** First messages of TLS: of a real client, and made by hand. */
final class Hello {
    private Hello() {}

    /** As the JDK says it. */
    static byte[] real(String name) throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setServerNames(name.isEmpty() ? List.of() : List.of(new SNIHostName(name)));
        engine.setSSLParameters(parameters);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /** Of extensions as they are on the wire. */
    static byte[] of(byte[]... extensions) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(new byte[] {3, 3});
        body.writeBytes(new byte[32]);
        body.writeBytes(new byte[] {0, 0, 2, 0x13, 1, 1, 0});
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] extension : extensions) {
            all.writeBytes(extension);
        }
        body.writeBytes(sized(all.toByteArray()));
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.write(1);
        message.write(0);
        message.writeBytes(sized(body.toByteArray()));
        return record(message.toByteArray());
    }

    static byte[] record(byte[] content) {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        record.writeBytes(new byte[] {22, 3, 1});
        record.writeBytes(sized(content));
        return record.toByteArray();
    }

    static byte[] names(String... names) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        for (String name : names) {
            list.write(0);
            list.writeBytes(sized(name.getBytes(StandardCharsets.ISO_8859_1)));
        }
        return extension(0, sized(list.toByteArray()));
    }

    static byte[] extension(int type, byte[] content) {
        ByteArrayOutputStream extension = new ByteArrayOutputStream();
        extension.write(type >> 8);
        extension.write(type);
        extension.writeBytes(sized(content));
        return extension.toByteArray();
    }

    private static byte[] sized(byte[] content) {
        return ByteBuffer.allocate(content.length + 2)
                .putShort((short) content.length)
                .put(content)
                .array();
    }
}
