package io.maestro.claude.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A server in a JVM of its own, so that none is compiled with another in mind; it ends when its input does. */
final class ServerProcess implements AutoCloseable {
    private final String way;
    private final Process process;
    private final int port;
    private final String token;

    private ServerProcess(String way, Process process, int port, String token) {
        this.way = way;
        this.process = process;
        this.port = port;
        this.token = token;
    }

    static ServerProcess start(String way) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        BenchServer.class.getName(),
                        way)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (said == null) {
            process.destroyForcibly();
            throw new IOException("the server " + way + " does not start");
        }
        String[] parts = said.split(" ", 2);
        return new ServerProcess(way, process, Integer.parseInt(parts[0]), parts[1]);
    }

    McpCaller connect() throws IOException {
        McpCaller caller = way.contains("http") ? new HttpCaller(port, token) : new LineCaller(port, token);
        caller.begin();
        return caller;
    }

    @Override
    public void close() throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
