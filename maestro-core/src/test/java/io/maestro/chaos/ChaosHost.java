package io.maestro.chaos;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.record.PostgresServer;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One life of a host that has the six stories and the extras built; says so when they are. It closes when it is told to end, and when
 * its input ends.
 */
final class ChaosHost {
    /** Kills itself as soon as a change of state is in the record; a number says which one of this life. */
    static final String DIE_AT_TRANSITION = "die-at-transition";

    /** Closes the Maestro then, and ends with {@link #CLOSED}. */
    static final String CLOSE_AT_TRANSITION = "close-at-transition";

    /** The exit code of a host that was closed before its work was done. */
    static final int CLOSED = 3;

    /** In the place of a database's URL: the record lies in the project directory. */
    static final String OWN_RECORD = "sqlite";

    /** For which a story of a killed process waits. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final Price PRICE = Price.of("1", "1", "0", "0");

    private ChaosHost() {}

    /** Where the answers of the models are noted. */
    static Path answers(Path directory) {
        return directory.resolve("answers");
    }

    /**
     * A host's Maestro.
     *
     * @param directory where the repository is
     * @param name the name of its project directory there
     * @param database a URL, or {@link #OWN_RECORD}
     */
    static MaestroBuilder maestro(Path directory, String name, String database) {
        MaestroBuilder builder = SixStories.maestro(directory, TestRepository.existing(directory))
                .projectDirectory(directory.resolve(name))
                .coderModel(new NotedAnswers(SixStories.coder(), answers(directory)))
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
        MaestroBuilder builder = maestro(Path.of(arguments[0]), arguments[1], arguments[2]);
        CompletableFuture<Maestro> own = new CompletableFuture<>();
        AtomicReference<CompletableFuture<Void>> closing =
                new AtomicReference<>(CompletableFuture.completedFuture(null));
        if (arguments.length > 3) {
            boolean dies = arguments[3].equals(DIE_AT_TRANSITION);
            AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[4]));
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
            work(maestro);
        } catch (MaestroException e) {
            if (!String.valueOf(e.getMessage()).contains("closed")) {
                throw e;
            }
            closing.get().join();
            System.exit(CLOSED);
        }
        closing.get().join();
    }

    private static void work(Maestro maestro) {
        List<Submission<StoryResult>> extras =
                SixStories.EXTRAS.stream().map(maestro::submit).toList();
        SpecResult result = maestro.runSpec(SixStories.SPEC);
        System.out.println(result.toMarkdown());
        extras.forEach(story ->
                System.out.println("result " + story.id() + " " + story.await().outcome()));
        System.out.println("outcome " + result.outcome());
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
