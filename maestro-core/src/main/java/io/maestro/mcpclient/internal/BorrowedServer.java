package io.maestro.mcpclient.internal;

import io.maestro.internal.Texts;
import io.maestro.mcpclient.McpSource;
import io.maestro.secrets.Redactor;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolResult;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server through all its lives. One that has died is started again by the next call, at once the first time, and then after a time
 * that doubles until it has answered a call. Each life begins by a look at its tools: one that is not what it was is not called
 * any more. Safe for use by several threads.
 */
final class BorrowedServer implements AutoCloseable {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(BorrowedServer.class);

    /** Makes the transport of a life. */
    interface TransportFactory {
        /**
         * Connects.
         *
         * @param broken to be called when the server can't be talked with any more
         */
        McpClientTransport connect(Consumer<String> broken);
    }

    private final McpSource source;
    private final TransportFactory connector;
    private final Redactor redactor;
    private final ReentrantLock lock = new ReentrantLock();

    /** Held by the call that reads the list of tools anew; others go on with what is known. */
    private final ReentrantLock listing = new ReentrantLock();

    /** What is wrong with tools that were offered, by the server's names. */
    private final Map<String, String> withdrawn = new ConcurrentHashMap<>();

    private volatile Map<String, Pin> offered = Map.of();
    private @Nullable McpSession session;
    private String lastFailure = "";
    private int failures;
    private long notBefore;
    private boolean closed;

    BorrowedServer(McpSource source, TransportFactory connector, Redactor redactor) {
        this.source = source;
        this.connector = connector;
        this.redactor = redactor;
    }

    /** Its first life: what it offers now. */
    List<Map<?, ?>> open() throws McpFailure, InterruptedException {
        lock.lockInterruptibly();
        try {
            session = McpSession.open(source.name(), connector::connect, redactor, source.startLimit());
            return session.tools(source.startLimit());
        } finally {
            lock.unlock();
        }
    }

    /** From now on these tools, and only these, may be called. */
    void offer(List<ToolListing> tools) {
        offered = tools.stream().collect(Collectors.toUnmodifiableMap(ToolListing::tool, ToolListing::pin));
    }

    /** Calls a tool; whatever the server does is an answer. A call of a session that it has forgotten is sent again, in a new one. */
    ToolResult call(ToolListing tool, ToolCall call) throws InterruptedException {
        return call(tool, call, true);
    }

    private ToolResult call(ToolListing tool, ToolCall call, boolean again) throws InterruptedException {
        McpSession live = null;
        try {
            live = live();
            look(live);
            String fault = withdrawn.get(tool.tool());
            if (fault != null) {
                return ToolResult.error("The tool '" + call.tool() + "' was not called: " + fault
                        + ". Do without it; the host must look at it.");
            }
            Map<String, Object> result = live.call(tool.tool(), call.arguments().asMap(), call.timeLimit());
            lock.lock();
            try {
                failures = 0;
            } finally {
                lock.unlock();
            }
            return McpAnswer.of(source.name(), result);
        } catch (McpFailure e) {
            if (live != null && e.isForgotten()) {
                failed(live, e);
                return again
                        ? call(tool, call, false)
                        : ToolResult.error("The MCP server '" + source.name() + "' has not run the call: "
                                + McpAnswer.marked(source.name(), e.text()) + ", twice.");
            }
            if (live != null && e.isBroken()) {
                failed(live, e);
                return ToolResult.error("The call may have had an effect or not: the MCP server '" + source.name()
                        + "' broke off. " + McpAnswer.marked(source.name(), e.text())
                        + "\nIt is started again by the next call of one of its tools.");
            }
            return ToolResult.error("The MCP server '" + source.name() + "' gave no result: "
                    + McpAnswer.marked(source.name(), e.text()));
        }
    }

    /** The connection of now; made anew when there is none. */
    private McpSession live() throws McpFailure, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (closed) {
                throw McpFailure.refused("Maestro is being closed");
            }
            McpSession now = session;
            if (now != null && !now.isOpen()) {
                forget(now, "it ended");
                now = null;
            }
            if (now == null) {
                long wait = notBefore - System.nanoTime();
                if (failures > 1 && wait > 0) {
                    throw McpFailure.refused("it is not there (" + lastFailure + ") and is started again in "
                            + Texts.seconds(Duration.ofNanos(wait)));
                }
                now = begin();
            }
            return now;
        } finally {
            lock.unlock();
        }
    }

    /** Looks at the tools again when the server has said that they have changed. */
    private void look(McpSession live) throws McpFailure, InterruptedException {
        if (live.isStale() && listing.tryLock()) {
            try {
                check(live.tools(source.startLimit()));
            } catch (McpFailure e) {
                if (e.isForgotten()) {
                    throw e;
                }
                if (e.isBroken()) {
                    failed(live, e);
                }
                throw McpFailure.refused("its tools have changed, and can't be listed: " + e.text());
            } finally {
                listing.unlock();
            }
        }
    }

    private McpSession begin() throws McpFailure, InterruptedException {
        McpSession begun = null;
        boolean good = false;
        try {
            begun = McpSession.open(source.name(), connector::connect, redactor, source.startLimit());
            check(begun.tools(source.startLimit()));
            session = begun;
            good = true;
            LOG.info("MCP server {} was started again", source.name());
            return begun;
        } catch (McpFailure | RuntimeException e) {
            count(String.valueOf(e.getMessage()));
            throw McpFailure.refused("it can't be started again: " + e.getMessage());
        } finally {
            if (!good && begun != null) {
                begun.close();
            }
        }
    }

    /** New tools are for the next Maestro: agents have read what there is in this one. */
    private void check(List<Map<?, ?>> tools) {
        Map<String, Pin> now = new HashMap<>();
        Offers.of(source, tools).good().forEach(tool -> now.put(tool.tool(), tool.pin()));
        offered.forEach((tool, pin) -> {
            Pin found = now.get(tool);
            if (pin.equals(found)) {
                withdrawn.remove(tool);
                return;
            }
            String fault = found == null
                    ? "the MCP server '" + source.name() + "' does not offer it any more"
                    : "since it was offered " + pin.changedTo(found) + " by the MCP server '" + source.name() + "'";
            if (withdrawn.put(tool, fault) == null) {
                LOG.warn("The tool {} of the MCP server {} is not called any more: {}", tool, source.name(), fault);
            }
        });
    }

    private void failed(McpSession broken, McpFailure why) {
        lock.lock();
        try {
            if (session == broken) {
                forget(broken, why.text());
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(McpSession broken, String why) {
        session = null;
        count(why);
        LOG.warn("MCP server {} broke off: {}", source.name(), lastFailure);
        broken.close();
    }

    private void count(String why) {
        lastFailure = Texts.clip(why, 300);
        failures++;
        Duration pause = Duration.ofSeconds(1L << Math.min(10, Math.max(0, failures - 2)));
        notBefore = System.nanoTime() + (pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE).toNanos();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (session != null) {
                session.close();
                session = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
