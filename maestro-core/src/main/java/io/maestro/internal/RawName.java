package io.maestro.internal;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * File names as git and the system have them: bytes. They are kept as strings with one character per byte ("raw"), which compare like the
 * bytes and lose nothing, whatever the locale of this JVM is and whether or not they are UTF-8. Java's file names can be
 * made from bytes, and asked for them, only by way of a URI.
 */
public final class RawName {
    private static final String HEX = "0123456789ABCDEF";

    private RawName() {}

    /** The raw name of bytes. */
    public static String of(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The bytes of a raw name. */
    public static byte[] bytes(String raw) {
        return raw.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The raw name of UTF-8 text, of a path that a caller gave for example. */
    public static String ofText(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** For patterns, messages and results: UTF-8 where it is that. */
    public static String text(String raw) {
        if (isAscii(raw)) {
            return raw;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(raw)))
                    .toString();
        } catch (CharacterCodingException e) {
            return raw;
        }
    }

    /** For messages: as text, and on one line. */
    public static String shown(String raw) {
        if (isPrintable(raw)) {
            return raw;
        }
        StringBuilder shown = new StringBuilder();
        text(raw).codePoints().forEach(c -> {
            if (Character.isISOControl(c)) {
                shown.append(String.format(Locale.ROOT, "\\x%02x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }

    /** The raw form of a relative path, such as an entry of a directory or the target of a symbolic link. */
    public static String of(Path path) {
        String name = path.toString();
        if (isAscii(name)) {
            return name;
        }
        String uri = path.toUri().getRawPath();
        if (!path.isAbsolute()) {
            uri = uri.substring(
                    Path.of("").toAbsolutePath().toUri().getRawPath().length());
        }
        String raw = decode(uri);
        return raw.endsWith("/") && !name.endsWith("/") ? raw.substring(0, raw.length() - 1) : raw;
    }

    /** A path for a raw relative or absolute path. */
    public static Path path(String raw) {
        if (isAscii(raw)) {
            return Path.of(raw);
        }
        StringBuilder uri = new StringBuilder(raw.startsWith("/") ? "file://" : "file:///");
        for (byte b : bytes(raw)) {
            char c = (char) (b & 0xff);
            if (c == '/' || c == '.' || c == '-' || c == '_' || (c < 0x80 && Character.isLetterOrDigit(c))) {
                uri.append(c);
            } else {
                uri.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        Path path = Path.of(URI.create(uri.toString()));
        return raw.startsWith("/") ? path : path.subpath(0, path.getNameCount());
    }

    private static String decode(String uri) {
        StringBuilder raw = new StringBuilder();
        for (int i = 0; i < uri.length(); i++) {
            if (uri.charAt(i) == '%') {
                raw.append((char) Integer.parseInt(uri, i + 1, i + 3, 16));
                i += 2;
            } else {
                raw.append(uri.charAt(i));
            }
        }
        return raw.toString();
    }

    private static boolean isPrintable(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) < ' ' || text.charAt(at) > '~') {
                return false;
            }
        }
        return true;
    }

    private static boolean isAscii(String text) {
        // Names of all files of a walk come here several times, so it is a plain loop.
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
