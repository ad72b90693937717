package io.maestro.chaos;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.story.SpecResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One life of a host that has the six stories built; says so when they are. */
final class ChaosHost {
    /** Kills itself as soon as a change of state is in the record; a number says which one of this life. */
    static final String DIE_AT_TRANSITION = "die-at-transition";

    /** Closes the Maestro then, and ends with {@link #CLOSED}. */
    static final String CLOSE_AT_TRANSITION = "close-at-transition";

    /** The exit code of a host that was closed before its work was done. */
    static final int CLOSED = 3;

    private ChaosHost() {}

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        MaestroBuilder builder = SixStories.maestro(directory, TestRepository.existing(directory));
        CompletableFuture<Maestro> own = new CompletableFuture<>();
        if (arguments.length > 1) {
            boolean dies = arguments[1].equals(DIE_AT_TRANSITION);
            AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[2]));
            builder.listener(event -> {
                if ((event instanceof MaestroEvent.StateChanged || event instanceof MaestroEvent.SpecStateChanged)
                        && left.decrementAndGet() == 0) {
                    if (dies) {
                        die();
                    }
                    own.thenAcceptAsync(Maestro::close);
                }
            });
        }
        try (Maestro maestro = builder.build()) {
            own.complete(maestro);
            SpecResult result = maestro.runSpec(SixStories.SPEC);
            System.out.println(result.toMarkdown());
            System.out.println("outcome " + result.outcome());
        } catch (MaestroException e) {
            if (!String.valueOf(e.getMessage()).contains("this Maestro was closed")) {
                throw e;
            }
            System.exit(CLOSED);
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
