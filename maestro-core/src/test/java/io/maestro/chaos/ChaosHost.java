package io.maestro.chaos;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.record.AuditLog;
import io.maestro.record.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One life of a host that has a {@link Scenario} built; says so when it is. It closes when it is told to end, and when
 * its input ends.
 */
final class ChaosHost {
    /** Kills itself as soon as a change of state is in the record; a number says which one of this life. */
    static final String DIE_AT_TRANSITION = "die-at-transition";

    /** Closes the Maestro then, and ends with {@link #CLOSED}. */
    static final String CLOSE_AT_TRANSITION = "close-at-transition";

    /** Does what is said, a {@link QueueEnd} or several, so many milliseconds after that many stories wait to be merged. */
    static final String END_IN_QUEUE = "end-in-queue";

    /** So many stories wait then, or more. */
    static final int QUEUED = 4;

    /** The exit code of a host that was closed before its work was done. */
    static final int CLOSED = 3;

    /** In the place of a database's URL: the record lies in the project directory. */
    static final String OWN_RECORD = "sqlite";

    /** For which a story of a killed process waits. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final Price PRICE = Price.of("1", "1", "0", "0");

    private ChaosHost() {}

    /** The end of a host while stories wait to be merged. */
    enum QueueEnd {
        KILL,
        CLOSE,
        /** All connections with the PostgreSQL end, those of other hosts too. */
        DISCONNECT
    }

    /** Where the answers of the models are noted. */
    static Path answers(Path directory) {
        return directory.resolve("answers");
    }

    /**
     * A host's Maestro.
     *
     * @param scenario what it has built
     * @param directory where the repository is
     * @param name the name of its project directory there
     * @param database a URL, or {@link #OWN_RECORD}
     */
    static MaestroBuilder maestro(Scenario scenario, Path directory, String name, String database) {
        MaestroBuilder builder = scenario.maestro(directory)
                .projectDirectory(directory.resolve(name))
                .coderModel(new NotedAnswers(scenario.coder, answers(directory)))
                .architectModel(new NotedAnswers(SixStories.architect(), answers(directory)))
                .agents(agents -> agents.prices(PriceTable.builder()
                        .model("coder", PRICE)
                        .model("architect", PRICE)
                        .build()));
        if (Files.exists(People.marker(directory))) {
            builder.people(people -> people.decide(Architect.Kind.TOOL_CALL, Architect.Kind.values()));
        }
        return database.equals(OWN_RECORD)
                ? builder
                : builder.record(record -> record.dataSource(PostgresServer.connectTo(database)))
                        .record(record -> record.leaseTime(LEASE));
    }

    public static void main(String[] arguments) {
        Scenario scenario = Scenario.valueOf(arguments[3]);
        MaestroBuilder builder = maestro(scenario, Path.of(arguments[0]), arguments[1], arguments[2]);
        CompletableFuture<Maestro> own = new CompletableFuture<>();
        AtomicReference<CompletableFuture<Void>> closing =
                new AtomicReference<>(CompletableFuture.completedFuture(null));
        if (arguments.length > 4 && arguments[4].equals(END_IN_QUEUE)) {
            List<QueueEnd> ends = new CopyOnWriteArrayList<>(Stream.of(arguments[5].split(",", -1))
                    .map(QueueEnd::valueOf)
                    .toList());
            long delay = Long.parseLong(arguments[6]);
            builder.listener(event -> {
                if (event instanceof MaestroEvent.MergeQueued queued && queued.place() >= QUEUED) {
                    CompletableFuture<Void> unused =
                            own.thenAcceptAsync(maestro -> endInQueue(maestro, arguments[2], ends, delay, closing));
                }
            });
        } else if (arguments.length > 4) {
            boolean dies = arguments[4].equals(DIE_AT_TRANSITION);
            AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[5]));
            builder.listener(event -> {
                if ((event instanceof MaestroEvent.StateChanged || event instanceof MaestroEvent.SpecStateChanged)
                        && left.decrementAndGet() == 0) {
                    if (dies) {
                        die();
                    }
                    closing.set(own.thenAcceptAsync(maestro -> close(maestro, left)));
                }
            });
        }
        try (Maestro maestro = builder.build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(maestro::close));
            own.complete(maestro);
            Thread input = new Thread(() -> closeAtEndOfInput(maestro));
            input.setDaemon(true);
            input.start();
            scenario.work(maestro);
        } catch (MaestroException e) {
            if (!String.valueOf(e.getMessage()).contains("closed")) {
                throw e;
            }
            closing.get().join();
            System.exit(CLOSED);
        }
        closing.get().join();
    }

    /** Each of them once, where enough stories wait. */
    private static synchronized void endInQueue(
            Maestro maestro,
            String database,
            List<QueueEnd> ends,
            long delay,
            AtomicReference<CompletableFuture<Void>> closing) {
        if (ends.isEmpty()
                || maestro.auditLog().mergeQueue().stream()
                                .filter(AuditLog.QueuedMerge::waits)
                                .count()
                        < QUEUED) {
            return;
        }
        LockSupport.parkNanos(Duration.ofMillis(delay).toNanos());
        switch (ends.remove(0)) {
            case KILL -> die();
            case CLOSE -> closing.set(CompletableFuture.runAsync(maestro::close));
            case DISCONNECT -> disconnect(database);
        }
    }

    private static void disconnect(String database) {
        try (Connection connection = PostgresServer.connectTo(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    + " AND datname = current_database()");
            System.out.println(QueueEnd.DISCONNECT);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void close(Maestro maestro, AtomicInteger left) {
        long start = System.nanoTime();
        maestro.close();
        System.out.println("closed after "
                + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms and " + -left.get() + " changes");
    }

    private static void closeAtEndOfInput(Maestro maestro) {
        try {
            while (System.in.read() >= 0) {}
            maestro.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void die() {
        try {
            new ProcessBuilder(
                            "kill", "-9", String.valueOf(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
            Thread.sleep(60_000);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
