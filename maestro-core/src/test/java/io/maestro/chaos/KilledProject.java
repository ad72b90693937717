package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A repository and its record, on which hosts work that are killed and started again until all is done. */
final class KilledProject {
    private static final Duration LIFE_LIMIT = Duration.ofSeconds(180);

    /** The exit code of a process that was killed by a signal is this and its number. */
    private static final int BY_SIGNAL = 128;

    private static final int KILL = 9;
    private static final int TERM = 15;

    final Scenario scenario;
    final Path directory;
    final TestRepository repository;
    final String database;
    final List<Host> hosts;

    /** A new one with the six stories. */
    KilledProject(Path directory, String database, String... hosts) throws IOException {
        this(Scenario.SIX, directory, database, hosts);
    }

    /**
     * A new one.
     *
     * @param scenario what the hosts have built
     * @param database a URL, or {@link ChaosHost#OWN_RECORD}
     * @param hosts their names, which are those of their project directories
     */
    KilledProject(Scenario scenario, Path directory, String database, String... hosts) throws IOException {
        this.scenario = scenario;
        this.directory = Files.createDirectories(directory);
        this.repository = scenario.repository(directory);
        this.database = database;
        this.hosts = List.of(hosts).stream().map(Host::new).toList();
    }

    /** How a life is ended. */
    enum End {
        /** By SIGKILL. */
        KILL,
        /** By SIGTERM: its shutdown hook closes its Maestro. */
        TERM,
        /** By itself: it closes its Maestro. */
        CLOSE
    }

    /** A host, which has one life after the other. */
    final class Host {
        final String name;
        private int lives;

        private Host(String name) {
            this.name = name;
        }

        Path project() {
            return directory.resolve(name);
        }

        /** What its processes leave behind that are killed. */
        Path temporary() {
            return directory.resolve("tmp-" + name);
        }

        /** One life, which is ended after a time; true when it had finished its work by then. */
        boolean liveFor(Duration time, End end) throws Exception {
            Process process = start();
            try {
                if (!process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS) && end != End.KILL) {
                    if (end == End.TERM) {
                        process.destroy();
                    } else {
                        process.getOutputStream().close();
                    }
                    assertThat(process.waitFor(LIFE_LIMIT.toSeconds(), TimeUnit.SECONDS))
                            .as("life %d of %s has been closed; it said:\n%s", lives, name, log())
                            .isTrue();
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            return ended(process);
        }

        /** One life, which may end itself; true when it has finished its work. */
        boolean live(String... arguments) throws Exception {
            Process process = start(arguments);
            try {
                assertThat(process.waitFor(LIFE_LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .as("life %d of %s has ended; it said:\n%s", lives, name, log())
                        .isTrue();
            } finally {
                process.destroyForcibly().waitFor();
            }
            return ended(process);
        }

        /** A life that was neither ended nor has finished its work fails the test. */
        private boolean ended(Process process) throws IOException {
            if (List.of(BY_SIGNAL + KILL, BY_SIGNAL + TERM, ChaosHost.CLOSED).contains(process.exitValue())) {
                return false;
            }
            assertThat(process.exitValue())
                    .as("life %d of %s:\n%s", lives, name, log())
                    .isZero();
            assertThat(log()).as("life %d of %s", lives, name).contains("outcome COMPLETED");
            return true;
        }

        private Process start(String... arguments) throws IOException {
            lives++;
            List<String> words = new ArrayList<>(List.of(directory.toString(), name, database, scenario.name()));
            words.addAll(List.of(arguments));
            return ChildJvm.of(temporary(), ChaosHost.class, words.toArray(String[]::new))
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve(name + ".log").toFile())
                    .start();
        }

        /** What the last life has said. */
        String log() throws IOException {
            return Files.readString(directory.resolve(name + ".log"));
        }
    }
}
