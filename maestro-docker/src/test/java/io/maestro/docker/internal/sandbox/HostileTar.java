package io.maestro.docker.internal.sandbox;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Makes archives as no engine would, byte by byte. */
final class HostileTar {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    HostileTar directory(String name) {
        return entry('5', name, "", 0755, 0, new byte[0]);
    }

    HostileTar file(String name, String content) {
        return file(name, 0644, content);
    }

    HostileTar file(String name, int mode, String content) {
        byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
        return entry('0', name, "", mode, bytes.length, bytes);
    }

    HostileTar link(String name, String target) {
        return entry('2', name, target, 0777, 0, new byte[0]);
    }

    HostileTar hardLink(String name, String target) {
        return entry('1', name, target, 0644, 0, new byte[0]);
    }

    /** A record of POSIX for what comes next. */
    HostileTar record(String key, String value) {
        String rest = " " + key + "=" + value + "\n";
        int length = rest.length() + 1;
        while (Integer.toString(length).length() + rest.length() != length) {
            length++;
        }
        byte[] bytes = (length + rest).getBytes(StandardCharsets.ISO_8859_1);
        return entry('x', "extra", "", 0644, bytes.length, bytes);
    }

    /** A header of any kind. */
    HostileTar entry(char type, String name, String target, int mode, long size, byte[] content) {
        byte[] block = new byte[512];
        put(block, 0, name);
        put(block, 100, String.format(Locale.ROOT, "%07o", mode));
        put(block, 108, "0000000");
        put(block, 116, "0000000");
        put(block, 124, String.format(Locale.ROOT, "%011o", size));
        put(block, 136, "00000000000");
        Arrays.fill(block, 148, 156, (byte) ' ');
        block[156] = (byte) type;
        put(block, 157, target);
        put(block, 257, "ustar\00000");
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xff;
        }
        put(block, 148, String.format(Locale.ROOT, "%06o\0", sum));
        out.writeBytes(block);
        out.writeBytes(content);
        out.writeBytes(new byte[(512 - content.length % 512) % 512]);
        return this;
    }

    private static void put(byte[] block, int from, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, from, bytes.length);
    }

    /** With its end. */
    byte[] whole() {
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    /** Without its end. */
    byte[] cut() {
        return out.toByteArray();
    }
}
