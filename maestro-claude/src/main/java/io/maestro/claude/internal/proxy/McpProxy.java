package io.maestro.claude.internal.proxy;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;

/**
 * The script that carries lines between its standard input and output and a TCP port of the host. It needs a POSIX shell with
 * {@code cat}, and one of bash, python3, perl, node, socat or nc. Run it as {@code sh PATH} with the variables of {@link
 * #environment}; it ends when either side ends. The nc of busybox, which is taken last, writes before it reads on: it stands
 * still when both sides send more at once than the system's buffers hold, some megabytes.
 */
public final class McpProxy {
    /** The variable with the name or address of the host. */
    public static final String HOST = "MAESTRO_MCP_HOST";

    /** The variable with the port. */
    public static final String PORT = "MAESTRO_MCP_PORT";

    /** The variable with the token, which is the first line that is sent. */
    public static final String TOKEN = "MAESTRO_MCP_TOKEN";

    private static final String RESOURCE = "mcp-proxy.sh";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** The hash is in the name: what has that name and is not empty is the same. Prints what would carry the lines. */
    private static final String INSTALL = """
            set -eu
            umask 022
            mkdir -p "$1"
            if ! test -s "$1/$2"; then
                part="$1/.$2.$3"
                trap 'trap "" TERM INT HUP; rm -f "$part"' EXIT
                trap 'exit 143' TERM INT HUP
                cat > "$part"
                mv -f "$part" "$1/$2"
            fi
            sh "$1/$2" --check
            """;

    private McpProxy() {}

    /**
     * Puts the script into a directory, unless it is there.
     *
     * @param executor runs commands where the CLI is to run
     * @param directory absolute, in the executor's notation; the executor's user can write there, or the script is there already
     * @return the script's path
     * @throws MaestroException when it cannot be put there, or nothing is there that could carry the lines
     */
    public static String install(Executor executor, String directory) {
        byte[] script = script();
        String name = "mcp-proxy-" + hash(script) + ".sh";
        ExecResult result = executor.run(ExecRequest.command(
                        "sh", "-c", INSTALL, "maestro-proxy", directory, name, Long.toHexString(System.nanoTime()))
                .stdin(script)
                .timeLimit(LIMIT)
                .build());
        if (!result.succeeded()) {
            String said = (result.stdout().text() + result.stderr().text()).strip();
            throw new MaestroException("the script " + name + " cannot be used from " + directory + ": "
                    + (said.isEmpty() ? result.ending() + " " + result.exitCode() : said)
                    + "; name a directory that the run's user may write to, and have bash, python3, perl, node, socat or nc"
                    + " there, or use another way to the tools");
        }
        return directory + "/" + name;
    }

    /**
     * What the script must be run with.
     *
     * @param host the name or address of the host where the script runs
     * @param port the port
     * @param token the token; it belongs nowhere but into an environment
     * @return the variables
     */
    public static Map<String, String> environment(String host, int port, String token) {
        return Map.of(HOST, host, PORT, Integer.toString(port), TOKEN, token);
    }

    private static byte[] script() {
        try (InputStream in = McpProxy.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is not in the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(byte[] script) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(script);
            return HexFormat.of().formatHex(sum).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
