package io.maestro.exec.local;

import io.maestro.exec.ExecException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Carries arguments and variables past a JVM that would spoil them: in the POSIX locale, common in CI jobs and containers,
 * the JDK hands each non-ASCII character to a process as a question mark. A shell script in pure ASCII makes the bytes
 * again and replaces itself by the program.
 */
final class AsciiScript {
    private static final Charset NATIVE = nativeCharset();
    private static final Pattern SHELL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private AsciiScript() {}

    /** Whether this JVM passes the text on as UTF-8 by itself. */
    static boolean isNotNeeded(Collection<String> arguments, Map<String, String> variables) {
        return NATIVE.equals(StandardCharsets.UTF_8)
                || (arguments.stream().allMatch(AsciiScript::isAscii)
                        && variables.keySet().stream().allMatch(AsciiScript::isAscii)
                        && variables.values().stream().allMatch(AsciiScript::isAscii));
    }

    private static Charset nativeCharset() {
        // What java.lang.ProcessImpl uses: the default charset until 17, the one of the locale since 18.
        String locale = Runtime.version().feature() < 18 ? null : System.getProperty("sun.jnu.encoding");
        return locale == null ? Charset.defaultCharset() : Charset.forName(locale);
    }

    /**
     * A command with the same effect, in ASCII. Values stay in variables: everybody on the machine can read the words of a command.
     *
     * @param command the command
     * @param variables what is set for it; those that are not ASCII are changed to what the script makes them from
     * @throws ExecException when a variable cannot be passed on
     */
    static List<String> command(List<String> command, Map<String, String> variables) {
        StringBuilder script = new StringBuilder("set --\n");
        for (String word : command) {
            // $(...) drops line ends at the end of the word; the full stop keeps them.
            script.append("w=$(printf '").append(escaped(word)).append(".')\nset -- \"$@\" \"${w%.}\"\n");
        }
        variables.replaceAll((name, value) -> {
            if (isAscii(name) && isAscii(value)) {
                return value;
            }
            if (!SHELL_NAME.matcher(name).matches()) {
                throw new ExecException(
                        "the variable '" + name
                                + "' cannot be passed on in the locale of this JVM, which is not UTF-8: only"
                                + " ASCII is, or a name of letters, digits and '_'; start the JVM with LC_ALL=C.UTF-8",
                        null);
            }
            script.append("w=$(printf \"$")
                    .append(name)
                    .append(".\")\nexport ")
                    .append(name)
                    .append("=\"${w%.}\"\n");
            return escaped(value);
        });
        return List.of("sh", "-c", script.append("unset w\nexec \"$@\"").toString());
    }

    private static String escaped(String word) {
        StringBuilder text = new StringBuilder();
        for (byte b : word.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == ' ' || b == '/';
            text.append(plain ? String.valueOf((char) b) : String.format(Locale.ROOT, "\\%03o", b & 0xFF));
        }
        return text.toString();
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }
}
