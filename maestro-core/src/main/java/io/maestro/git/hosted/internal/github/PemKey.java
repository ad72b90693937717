package io.maestro.git.hosted.internal.github;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads an RSA key in PEM: PKCS #8 (RFC 5958), or PKCS #1 (RFC 8017), which GitHub gives and the JDK does not read. */
final class PemKey {
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN (RSA )?PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END \\1?PRIVATE KEY-----");

    /** Version 0, and the algorithm: rsaEncryption (1.2.840.113549.1.1.1) without parameters. */
    private static final byte[] RSA = {
        2, 1, 0, 0x30, 0x0d, 6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0
    };

    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 4;

    private PemKey() {}

    static PrivateKey rsa(String pem) {
        Matcher matcher = PEM.matcher(pem);
        if (!matcher.find()) {
            throw new IllegalArgumentException(
                    "the private key is not in PEM: give all of the file that GitHub made, from"
                            + " -----BEGIN to the end");
        }
        try {
            byte[] key = Base64.getMimeDecoder().decode(matcher.group(2));
            byte[] pkcs8 = matcher.group(1) == null ? key : der(SEQUENCE, RSA, der(OCTETS, key));
            return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Its message may show parts of the key.
            throw new IllegalArgumentException("the private key is damaged, or is none of RSA: download it again");
        }
    }

    /** An element of DER: its tag, its length and its parts. */
    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        int length = content.size();
        if (length < 0x80) {
            element.write(length);
        } else {
            int bytes = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
            element.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                element.write(length >> (8 * i));
            }
        }
        element.writeBytes(content.toByteArray());
        return element.toByteArray();
    }
}
