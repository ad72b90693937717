package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The variables of a container's commands, kept in its memory: no image that is made of the container has them, the engine does
 * not know them, and the next {@code Containers} reads them there.
 */
final class Variables {
    /** A file system in memory. */
    static final String DIRECTORY = "/run/maestro";

    /** For a shell that reads it. */
    static final String SCRIPT = DIRECTORY + "/variables.sh";

    /** A line of the script, whose value may have several. */
    private static final Pattern LINE = Pattern.compile("export ([A-Za-z_][A-Za-z0-9_]*)='((?:[^']++|'\\\\'')*+)'\\n");

    /** Only in memory, and so that the user reads but does not change it. */
    private static final String WRITE = """
            grep " $3 " /proc/mounts | tail -n 1 | grep -q '^tmpfs ' || { echo "$3 is not in memory" >&2; exit 1; }
            umask 077 && cat > "$1.new" && chown "0:$2" "$1.new" && chmod 0440 "$1.new" && mv -f "$1.new" "$1"
            """;

    private static final int MOST = 1000;

    private Variables() {}

    static void write(DockerExecutor root, String user, Map<String, String> variables) {
        StringBuilder script = new StringBuilder();
        variables.forEach((name, value) -> script.append("export ")
                .append(name)
                .append('=')
                .append(quoted(value))
                .append('\n'));
        ExecResult result = root.run(
                ExecRequest.command("sh", "-c", WRITE, "sh", SCRIPT, user.substring(user.indexOf(':') + 1), DIRECTORY)
                        .stdin(script.toString().getBytes(StandardCharsets.UTF_8))
                        .build());
        if (!result.succeeded()) {
            throw new DockerException("the variables cannot be kept in the container: " + Steps.why(result), null);
        }
    }

    /** Those that were written; none where nothing was. */
    static Map<String, String> read(DockerExecutor root) {
        ExecResult result = root.run(ExecRequest.command("sh", "-c", "[ ! -e \"$1\" ] || cat \"$1\"", "sh", SCRIPT)
                .outputLimit(4 << 20)
                .build());
        if (!result.succeeded()) {
            throw new DockerException(
                    "the variables of the container cannot be read: exit code "
                            + result.exitCode().orElse(-1),
                    null);
        }
        Map<String, String> variables = new LinkedHashMap<>();
        Matcher line = LINE.matcher(result.stdout().text());
        while (variables.size() < MOST && line.lookingAt()) {
            variables.put(line.group(1), line.group(2).replace("'\\''", "'"));
            line.region(line.end(), line.regionEnd());
        }
        return variables;
    }

    /** One word of a shell. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
