package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The script of one command, for a shell that becomes the command. Every value is in single quotes, where nothing but the
 * quote itself has a meaning.
 */
final class CommandScript {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** What Linux allows for one argument or variable. */
    private static final int LONGEST_ARGUMENT = (1 << 17) - 1;

    /** Below what Linux allows for all of them together with the usual stack. */
    private static final int LONGEST_ARGUMENTS = 1_900_000;

    private CommandScript() {}

    /**
     * Refuses what no shell could start.
     *
     * @throws ExecException when a value holds NUL, is too long, or a variable has a name that a shell cannot set
     */
    static void check(List<String> command, String directory, Map<String, String> variables) {
        long sum = 0;
        for (String argument : command) {
            sum += checked(argument, "an argument", command);
        }
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            if (!NAME.matcher(variable.getKey()).matches()) {
                throw refused(
                        command,
                        "'" + variable.getKey() + "' is no name of a variable that a shell can set; rename it");
            }
            sum += checked(variable.getKey() + "=" + variable.getValue(), "the variable " + variable.getKey(), command);
        }
        checked(directory, "the working directory", command);
        if (sum > LONGEST_ARGUMENTS) {
            throw refused(
                    command,
                    "its arguments and variables have " + sum + " bytes, more than the system takes;"
                            + " pass what is long on standard input");
        }
    }

    private static int checked(String value, String what, List<String> command) {
        if (value.indexOf('\0') >= 0) {
            throw refused(command, what + " holds a NUL character; remove it");
        }
        int length = value.getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_ARGUMENT) {
            throw refused(
                    command,
                    what + " has " + length + " bytes, more than the system takes (" + LONGEST_ARGUMENT
                            + "); pass it on standard input");
        }
        return length;
    }

    private static ExecException refused(List<String> command, String why) {
        return new ExecException("cannot run '" + command.get(0).replace('\0', '?') + "' in a container: " + why, null);
    }

    /**
     * The script. It says on both streams that it begins; on the first one also "ok" and its process, or a letter for what is
     * wrong, see {@link Refusals}. Between braces: a script that was cut short does nothing.
     *
     * @param input what its standard input comes from, for example {@code </dev/null}; empty for that of the shell
     */
    static String of(
            List<String> command,
            String directory,
            Map<String, String> variables,
            String mark,
            String nonce,
            String input) {
        StringBuilder script = new StringBuilder(512);
        script.append("{\nmx_m() { printf '\\036")
                .append(nonce)
                .append("%s %s\\n' \"$1\" \"$mx_p\" >&3; printf '\\036")
                .append(nonce)
                .append("' >&4; }\nread -r mx_p mx_x </proc/self/stat\nmx_w=");
        quote(script, directory);
        script.append(
                "\ncd \"$mx_w\" || { if [ -d \"$mx_w\" ]; then mx_m A; elif [ -e \"$mx_w\" ]; then mx_m F; else mx_m D; fi; exit 1; }\n");
        script.append("export ").append(ProcessMarker.VARIABLE).append('=');
        quote(script, mark);
        variables.forEach((name, value) -> {
            script.append('\n').append("export ").append(name).append('=');
            quote(script, value);
        });
        program(script, command.get(0));
        script.append("mx_m ok\n");
        if (input.startsWith("<") || input.isEmpty()) {
            script.append("exec $mx_setsid");
        } else {
            script.append(input).append(" 3>&- 4>&- |");
        }
        for (String word : command) {
            script.append(' ');
            quote(script, word);
        }
        return script.append(' ')
                .append(input.startsWith("<") ? input : "")
                .append(" >&3 2>&4 3>&- 4>&-\nexit\n}\n")
                .toString();
    }

    /** Looks for the program as exec does, which could not tell a missing program from one that ends with 127. */
    private static void program(StringBuilder script, String program) {
        script.append("\nmx_w=");
        quote(script, program);
        if (program.indexOf('/') >= 0) {
            script.append(
                    "\nif [ ! -e \"$mx_w\" ]; then mx_m P; exit 1; elif [ ! -f \"$mx_w\" ] || [ ! -x \"$mx_w\" ]; then mx_m X; exit 1; fi\n");
        } else {
            script.append("""

                    mx_f=P; set -f; IFS=:
                    for mx_d in ${PATH-/bin:/usr/bin}; do if [ -f "${mx_d:-.}/$mx_w" ]; then if [ -x "${mx_d:-.}/$mx_w" ]; then mx_f=; break; fi; mx_f=X; fi; done
                    unset IFS; set +f; if [ -n "$mx_f" ]; then mx_m $mx_f; exit 1; fi
                    """);
        }
    }

    /** A command that prints bytes: {@code printf} of octal numbers, as no script can hold all of them. */
    static String printing(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length + 32).append("printf '");
        for (int i = 0; i < bytes.length; i++) {
            byte b = bytes[i];
            boolean option = b == '-' && i == 0;
            if (!option && (b >= ' ' && b < 0x7F && b != '\'' && b != '\\' && b != '%' || b == '\n')) {
                text.append((char) b);
            } else {
                text.append('\\')
                        .append((char) ('0' + (b >> 6 & 3)))
                        .append((char) ('0' + (b >> 3 & 7)))
                        .append((char) ('0' + (b & 7)));
            }
        }
        return text.append('\'').toString();
    }

    private static void quote(StringBuilder script, String value) {
        script.append('\'')
                .append(value.indexOf('\'') < 0 ? value : value.replace("'", "'\\''"))
                .append('\'');
    }
}
