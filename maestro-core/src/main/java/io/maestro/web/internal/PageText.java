package io.maestro.web.internal;

import io.maestro.web.internal.WebResponse.Body;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Makes text of what a server has sent, whatever it says about it. */
final class PageText {
    private static final Pattern TEXT =
            Pattern.compile("text/.+|image/svg\\+xml|application/(?:[a-z0-9.-]+\\+)?(?:json|xml|yaml)"
                    + "|application/(?:x-)?(?:yaml|toml|javascript|ecmascript|typescript|ndjson|sh|sql|graphql)");
    private static final Pattern HTML = Pattern.compile("text/html|application/xhtml\\+xml");
    private static final Pattern BEGINS_AS_HTML = Pattern.compile(
            "\\s*(?:<!--[^>]*>\\s*)?<(?:!doctype\\s+html|html)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*=\\s*[\"']?([a-z0-9_:.-]{1,40})", Pattern.CASE_INSENSITIVE);
    private static final Pattern META =
            Pattern.compile("<meta\\b[^>]{0,300}?charset\\s*=\\s*[\"']?([a-z0-9_:.-]{1,40})", Pattern.CASE_INSENSITIVE);

    private static final String MARK = "\ufeff";
    private static final int LOOKED_AT = 2048;
    private static final int LONGEST_TYPE = 100;

    private PageText() {}

    /**
     * Reads the body of an answer and makes text of it.
     *
     * @throws FetchException when it is no text; the message says what it is
     */
    static WebPage of(WebUrl url, WebResponse answer, FetchWatch watch) throws FetchException, IOException {
        String declared = answer.header("content-type").orElse("");
        String type = declared.replaceFirst("[;,\\s].*", "").toLowerCase(Locale.ROOT);
        if (!type.isEmpty()
                && !TEXT.matcher(type).matches()
                && !HTML.matcher(type).matches()) {
            throw binary(
                    url,
                    type,
                    answer.declaredLength().map(length -> length + " bytes").orElse("of unknown size"));
        }
        Body body = answer.body();
        byte[] bytes = body.bytes();
        String size = (body.cut() ? "more than " : "") + bytes.length + " bytes";
        Optional<Charset> marked = byteOrderMark(bytes);
        if (marked.filter(PageText::isUtf16).isEmpty() && hasNul(bytes)
                || type.isEmpty() && marked.isEmpty() && !isUtf8(bytes, body.cut())) {
            throw binary(url, type.isEmpty() ? "of no type" : type, size);
        }
        String begin = new String(bytes, 0, Math.min(bytes.length, LOOKED_AT), StandardCharsets.ISO_8859_1);
        boolean html = HTML.matcher(type).matches()
                || type.isEmpty() && BEGINS_AS_HTML.matcher(begin).matches();
        Charset charset = marked.or(() -> charset(CHARSET, declared))
                .or(() -> html ? charset(META, begin).filter(found -> !isUtf16(found)) : Optional.empty())
                .orElse(StandardCharsets.UTF_8);
        String decoded = new String(bytes, charset);
        String text = decoded.startsWith(MARK) ? decoded.substring(1) : decoded;
        if (!html) {
            return new WebPage(
                    url.toString(), type.isEmpty() ? "text/plain" : type, UntrustedText.seen(text), body.cut());
        }
        HtmlMarkdown.Converted converted = HtmlMarkdown.convert(text, url, watch);
        return new WebPage(
                url.toString(), "text/html", UntrustedText.seen(converted.markdown()), body.cut() || converted.cut());
    }

    private static FetchException binary(WebUrl url, String type, String size) {
        String shown = UntrustedText.seen(type.length() <= LONGEST_TYPE ? type : type.substring(0, LONGEST_TYPE) + "…");
        return new FetchException(url + " is no text but '" + shown + "', " + size + "; only text can be fetched");
    }

    private static Optional<Charset> byteOrderMark(byte[] bytes) {
        return Stream.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)
                .filter(charset -> {
                    byte[] mark = MARK.getBytes(charset);
                    return bytes.length >= mark.length && Arrays.equals(bytes, 0, mark.length, mark, 0, mark.length);
                })
                .findFirst();
    }

    /** Empty where none is named that this JVM knows. ISO-8859-1 means windows-1252, as in browsers. */
    private static Optional<Charset> charset(Pattern where, String text) {
        Matcher matcher = where.matcher(text);
        if (!matcher.find()) {
            return Optional.empty();
        }
        try {
            Charset charset = Charset.forName(matcher.group(1));
            return Optional.of(
                    charset.equals(StandardCharsets.ISO_8859_1) && Charset.isSupported("windows-1252")
                            ? Charset.forName("windows-1252")
                            : charset);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isUtf16(Charset charset) {
        return charset.name().startsWith("UTF-16");
    }

    private static boolean hasNul(byte[] bytes) {
        for (byte one : bytes) {
            if (one == 0) {
                return true;
            }
        }
        return false;
    }

    /** Of what was cut, the last character may be missing in part. */
    private static boolean isUtf8(byte[] bytes, boolean cut) {
        int length = bytes.length;
        for (int i = 0; cut && i < 3 && length > 0 && (bytes[length - 1] & 0x80) != 0; i++) {
            length--;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
