package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.maestro.exec.ExecProcess;
import io.maestro.internal.Texts;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.secrets.Redactor;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Messages, one a line, over standard input and output of a program that an executor runs. The SDK's own transport gives a program the
 * whole environment of the host, reads lines of any length, stops at the first line that is no message, and ends only the program
 * itself and not what that has started.
 */
final class StdioTransport implements McpClientTransport {
    /** How long a program may take to end when its input has ended. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration EXIT = Duration.ofMillis(500);

    /** So many messages may wait for a program to read. */
    private static final int MOST_WAITING = 256;

    /** So many lines that are no messages are taken for a program that logs to the wrong stream. */
    private static final int MOST_JUNK = 10_000;

    private static final int MOST_LOGGED = 100;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** Between two reads of standard error, of 8 KB at most. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int LONGEST_LOGGED = 500;

    /** So many bytes of a line are looked through for secrets: longer than any secret that what is logged may begin. */
    private static final int LONGEST_READ = 64 * 1024;

    private static final int MOST_REMEMBERED = 5;

    private static final Logger LOG = LoggerFactory.getLogger(StdioTransport.class);

    private final ExecProcess process;
    private final String server;
    private final McpJsonMapper json;
    private final Redactor redactor;
    private final Consumer<String> ended;
    private final BlockingQueue<Optional<String>> outgoing = new ArrayBlockingQueue<>(MOST_WAITING);
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<String> lastErrors = new ArrayDeque<>();
    private final CountDownLatch errorsRead = new CountDownLatch(1);

    /**
     * Makes a transport; nothing is read before {@link #connect}.
     *
     * @param process the program; closed with this
     * @param server its name, for the log
     * @param json reads and writes messages
     * @param redactor takes secrets out of what is logged
     * @param ended called, perhaps more than once, when the program can't be talked with any more
     */
    StdioTransport(ExecProcess process, String server, McpJsonMapper json, Redactor redactor, Consumer<String> ended) {
        this.process = process;
        this.server = server;
        this.json = json;
        this.redactor = redactor;
        this.ended = ended;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return Mono.fromRunnable(() -> {
            ThreadFactory threads = Threads.platformFactory("maestro-mcp-" + server);
            threads.newThread(() -> read(handler)).start();
            threads.newThread(this::write).start();
            threads.newThread(this::log).start();
        });
    }

    private void read(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        int junk = 0;
        try (InputStream in = new BufferedInputStream(process.stdout(), 1 << 16)) {
            BoundedLines lines = new BoundedLines(in, McpSession.LARGEST_MESSAGE);
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (lines.wasCut()) {
                    ended.accept("it sent a message of more than " + McpSession.LARGEST_MESSAGE + " bytes");
                    return;
                }
                if (!deliver(line, handler) && ++junk == MOST_JUNK) {
                    ended.accept("it wrote " + MOST_JUNK + " lines to standard output that are no messages");
                    return;
                }
            }
            ended.accept(howItEnded());
        } catch (IOException e) {
            ended.accept(howItEnded());
        } catch (RuntimeException | Error e) {
            ended.accept("its messages can't be read any more: " + Texts.describe(e));
        }
    }

    private boolean deliver(String line, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        try {
            JSONRPCMessage message = McpSchema.deserializeJsonRpcMessage(json, line);
            handler.apply(Mono.just(message)).subscribe(ignored -> {}, this::notHandled);
            return true;
        } catch (StreamConstraintsException e) {
            ended.accept("it sent a message that can't be read: " + e.getOriginalMessage());
            return false;
        } catch (IOException | RuntimeException e) {
            LOG.debug("MCP server {}: a line that is no message is passed over", server);
            return false;
        }
    }

    private void notHandled(Throwable failure) {
        LOG.debug(
                "MCP server {}: a message was not handled: {}",
                server,
                failure.getClass().getName());
    }

    /** The exit code and the last lines of standard error, where there are any. */
    private String howItEnded() {
        Optional<ExecProcess.End> end = process.await(EXIT);
        String how = end.isPresent() && end.get().exitCode().isPresent()
                ? "its program ended with exit code " + end.get().exitCode().getAsInt()
                : "it closed its output";
        // What it said last may still be on its way, and a program that it has started may hold the stream open.
        boolean unused = Uninterrupted.until(
                System.nanoTime() + EXIT.toNanos(), nanos -> errorsRead.await(nanos, TimeUnit.NANOSECONDS));
        lock.lock();
        try {
            return lastErrors.isEmpty()
                    ? how
                    : how + "; last it said: "
                            + lastErrors.stream().map(this::clean).collect(Collectors.joining(" | "));
        } finally {
            lock.unlock();
        }
    }

    private void write() {
        try (OutputStream out = process.stdin()) {
            for (Optional<String> line = outgoing.take(); line.isPresent(); line = outgoing.take()) {
                out.write((line.get() + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (IOException e) {
            // It reads no more; the thread that reads from it says why.
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }

    private void log() {
        try (InputStream in = new BufferedInputStream(slowly(process.stderr()))) {
            BoundedLines lines = new BoundedLines(in, LONGEST_READ);
            long minute = System.nanoTime();
            int logged = 0;
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (lines.wasCut()) {
                    lines.skipRest();
                }
                remember(line);
                if (System.nanoTime() - minute > MINUTE) {
                    minute = System.nanoTime();
                    logged = 0;
                }
                if (logged++ < MOST_LOGGED) {
                    LOG.info("MCP server {} says: {}", server, clean(line));
                } else if (logged == MOST_LOGGED + 1) {
                    LOG.info("MCP server {} says more: lines beyond {} a minute are not logged", server, MOST_LOGGED);
                }
            }
        } catch (IOException e) {
            // It has ended.
        } finally {
            errorsRead.countDown();
        }
    }

    /** A program that writes without end would take a processor of the host; here it gets at most eight megabytes a second. */
    private static InputStream slowly(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                LockSupport.parkNanos(PAUSE);
                return super.read(bytes, offset, length);
            }
        };
    }

    /** Redacted before it is cut: a secret that is cut in two would not be found. */
    private String clean(String line) {
        return Texts.clip(redactor.redact(line.strip()).replaceAll("\\p{Cntrl}", "?"), LONGEST_LOGGED);
    }

    private void remember(String line) {
        lock.lock();
        try {
            lastErrors.addLast(line);
            if (lastErrors.size() > MOST_REMEMBERED) {
                lastErrors.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            String line;
            try {
                line = json.writeValueAsString(message);
            } catch (IOException e) {
                throw new IllegalStateException("a message to an MCP server can't be written as JSON", e);
            }
            if (!outgoing.offer(Optional.of(line))) {
                ended.accept("it does not read its input: " + MOST_WAITING + " messages wait");
                throw new IllegalStateException("the MCP server does not read its input");
            }
        });
    }

    /** Lets the program end by itself, and then ends whatever is left of it. */
    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(() -> {
            if (outgoing.offer(Optional.empty())) {
                process.await(GRACE);
            }
            process.close();
            outgoing.clear();
            outgoing.offer(Optional.empty());
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return json.convertValue(data, type);
    }

    @Override
    public List<String> protocolVersions() {
        return List.of(
                ProtocolVersions.MCP_2024_11_05,
                ProtocolVersions.MCP_2025_03_26,
                ProtocolVersions.MCP_2025_06_18,
                ProtocolVersions.MCP_2025_11_25);
    }
}
