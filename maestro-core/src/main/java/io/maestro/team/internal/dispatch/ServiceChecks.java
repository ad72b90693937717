package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.git.Forge;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.record.AuditLog;
import io.maestro.record.CostQuery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the models and the forge that a story needs, before a model is paid for it, and without paying. A service that has answered
 * is not asked again for a while, whichever story needs it. Safe for use by several threads.
 */
public final class ServiceChecks {
    /** How long all requests of one check may take. */
    public static final Duration LIMIT = Duration.ofSeconds(15);

    private static final Duration KEPT = Duration.ofMinutes(5);

    private final List<LlmClient> models;
    private final Forge forge;
    private final AuditLog record;
    private final Duration limit;
    private final Map<Object, CheckedService> checks = new ConcurrentHashMap<>();

    /**
     * Asks nothing yet.
     *
     * @param models those that stories ask
     * @param forge merges their work
     * @param record knows whether a model has ever answered
     */
    public ServiceChecks(List<LlmClient> models, Forge forge, AuditLog record) {
        this(models, forge, record, LIMIT);
    }

    ServiceChecks(List<LlmClient> models, Forge forge, AuditLog record, Duration limit) {
        this.models = List.copyOf(models);
        this.forge = forge;
        this.record = record;
        this.limit = limit;
    }

    /**
     * Asks what was not asked lately.
     *
     * @param remote the repository
     * @param target the branch to merge into
     * @throws MaestroException when a story could not be brought to its end; a {@link io.maestro.error.RetriableException} when it
     *     could be later
     */
    public void require(String remote, String target) {
        for (LlmClient model : models) {
            try {
                check(model, "the service of " + model.model()).ask(model::check);
            } catch (LlmUnavailableException e) {
                throw RemoteServer.isFirstContact(e) && hasAnswered()
                        ? new LlmUnavailableException(e.getMessage(), null, null, false)
                        : e;
            }
        }
        check(List.of(remote, target), "the forge '" + forge.id() + "'").ask(() -> forge.check(remote, target));
    }

    /** An earlier process may have reached it, such as before the network of this machine went down. */
    private boolean hasAnswered() {
        return !record.costs(CostQuery.by(CostQuery.Key.AGENT).most(1).build())
                .rows()
                .isEmpty();
    }

    private CheckedService check(Object service, String name) {
        return checks.computeIfAbsent(service, one -> new CheckedService(name));
    }

    /** A service, and what it has answered last. */
    private final class CheckedService {
        private final RemoteServer server;
        private final ReentrantLock lock = new ReentrantLock();
        private long at;
        private boolean asked;
        private @Nullable RuntimeException failure;

        CheckedService(String name) {
            server = new RemoteServer(name, "its address", text -> text);
        }

        /** A failure counts for those alone who waited for it. */
        void ask(Supplier<?> question) {
            long came = System.nanoTime();
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MaestroException("interrupted before the services of the story were asked", e);
            }
            try {
                boolean known = asked && (failure == null ? System.nanoTime() - at < KEPT.toNanos() : at - came > 0);
                if (!known) {
                    askNow(question);
                }
                if (failure != null) {
                    throw failure;
                }
            } finally {
                lock.unlock();
            }
        }

        private void askNow(Supplier<?> question) {
            asked = false;
            failure = null;
            try {
                Object unused = server.ask(limit, question);
            } catch (RuntimeException e) {
                if (Thread.currentThread().isInterrupted()) {
                    // That is about the one who asked.
                    throw e;
                }
                failure = e;
            }
            at = System.nanoTime();
            asked = true;
        }
    }
}
