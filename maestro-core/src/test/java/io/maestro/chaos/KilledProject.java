package io.maestro.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.audit.AuditLog;
import io.maestro.audit.Leases;
import io.maestro.audit.Store;
import io.maestro.audit.Stores;
import io.maestro.testing.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A project whose host is killed and started again until its specification is done. */
final class KilledProject {
    private static final Duration LIFE_LIMIT = Duration.ofSeconds(180);

    final Path directory;
    final TestRepository repository;
    private int lives;

    KilledProject(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.repository = SixStories.repository(directory);
    }

    /** One life, which is killed after a time; true when it had finished its work by then. */
    boolean liveFor(Duration time) throws Exception {
        Process process = start();
        try {
            if (!process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return ended(process);
    }

    /** One life, which may kill itself; true when it has finished its work. */
    boolean live(String... arguments) throws Exception {
        Process process = start(arguments);
        try {
            assertThat(process.waitFor(LIFE_LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("life %d has ended; it said:\n%s", lives, log())
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        return ended(process);
    }

    /** 137 is the exit code of a killed process; a life that fails otherwise fails the test. */
    private boolean ended(Process process) throws IOException {
        if (process.exitValue() == 137 || process.exitValue() == ChaosHost.CLOSED) {
            return false;
        }
        assertThat(process.exitValue()).as("life %d:\n%s", lives, log()).isZero();
        assertThat(log()).as("life %d", lives).contains("outcome COMPLETED");
        return true;
    }

    private Process start(String... arguments) throws IOException {
        lives++;
        List<String> words = new ArrayList<>(List.of(directory.toString()));
        words.addAll(List.of(arguments));
        return ChildJvm.of(directory.resolve("tmp"), ChaosHost.class, words.toArray(String[]::new))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("host.log").toFile())
                .start();
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("host.log"));
    }

    String tree() {
        return repository.git("rev-parse", "main^{tree}");
    }

    /** The stories of the merges on main, one line for each; a commit on a story's branch may have two parents, too. */
    List<String> mergedStories() {
        return repository
                .git(
                        "log",
                        "--first-parent",
                        "--merges",
                        "--format=%(trailers:key=Maestro-Story,valueonly,separator=)",
                        "main")
                .lines()
                .sorted()
                .toList();
    }

    /** What is left over that should not be: processes, locks, leases, files of workspaces. */
    List<String> orphans() throws IOException {
        List<String> orphans = new ArrayList<>(processes());
        Path project = directory.resolve("project");
        try (Stream<Path> files = Files.walk(project.resolve(".mirrors"))) {
            // The file beside a mirror that Maestro locks by the operating system stays; git's own are locks while they
            // exist.
            files.filter(file -> file.toString().endsWith(".lock")
                            && !file.toString().endsWith(".git.lock"))
                    .forEach(file -> orphans.add(file.toString()));
        }
        for (Path parent : List.of(project, project.resolve(".maestro/git"))) {
            if (Files.isDirectory(parent)) {
                try (Stream<Path> workspaces = Files.list(parent)) {
                    for (Path workspace : workspaces
                            .filter(path -> path.getFileName().toString().matches("(coder|architect)-.*"))
                            .toList()) {
                        try (Stream<Path> content = Files.list(workspace)) {
                            content.findAny().ifPresent(file -> orphans.add(file.toString()));
                        }
                    }
                }
            }
        }
        // The locks of the project and the record can be taken, and nobody holds a lease.
        try (Maestro maestro = SixStories.maestro(directory, repository).build()) {
            maestro.resume().forEach(work -> orphans.add("unfinished " + work.id()));
        }
        try (Store store = Stores.sqlite(project.resolve(".maestro/maestro.db"), text -> text)) {
            List<String> held = new ArrayList<>(List.of(Leases.spec("six")));
            store.storiesOf("six").forEach(story -> held.add(Leases.story(story.id())));
            store.beginSession(new AuditLog.Session("looks", "", Instant.now(), 1, null));
            for (String lease : held) {
                if (store.leases()
                        .acquire(List.of(lease), "looks", Duration.ofSeconds(1))
                        .isEmpty()) {
                    orphans.add(lease);
                }
            }
        }
        return orphans;
    }

    /** Processes that work in the project, or were started by its executors. */
    private List<String> processes() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            for (Path process : all.filter(path -> path.getFileName().toString().matches("[0-9]+"))
                    .toList()) {
                if (belongsHere(process)) {
                    found.add("process " + process.getFileName());
                }
            }
        }
        return found;
    }

    private boolean belongsHere(Path process) {
        String own = String.valueOf(ProcessHandle.current().pid());
        try {
            if (process.getFileName().toString().equals(own)) {
                return false;
            }
            String text = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
                    + Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                    + Files.readSymbolicLink(process.resolve("cwd"));
            return text.contains(directory + "/");
        } catch (IOException e) {
            // It has ended meanwhile, or is somebody else's.
            return false;
        }
    }
}
