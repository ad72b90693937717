package io.maestro.chaos;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.inbox.Inbox;
import io.maestro.record.AuditLog;
import io.maestro.record.PostgresServer;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
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

/** What is left over of a project that is done, and should not be: processes, locks, leases, files. */
final class Orphans {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final KilledProject project;
    private final List<String> found = new ArrayList<>();

    Orphans(KilledProject project) {
        this.project = project;
    }

    void find(List<String> orphans) throws Exception {
        processes();
        for (KilledProject.Host host : project.hosts) {
            temporary(host.temporary());
            // The locks of the project and the record can be taken, and nothing is left to do. What another process
            // has taken over while this one lived stays until its next life.
            try (Maestro maestro = ChaosHost.maestro(project.scenario, project.directory, host.name, project.database)
                    .build()) {
                maestro.resume().forEach(work -> found.add("unfinished " + work.id()));
            }
            mirrors(host.project());
            workspaces(host.project());
        }
        leases();
        orphans.addAll(found);
    }

    static String url(KilledProject project) {
        return project.database.equals(ChaosHost.OWN_RECORD) ? "jdbc:sqlite:" + record(project) : project.database;
    }

    static Store open(KilledProject project) {
        return project.database.equals(ChaosHost.OWN_RECORD)
                ? Store.sqlite(record(project), text -> text)
                : Store.postgres(PostgresServer.connectTo(project.database), null, text -> text);
    }

    /** Whether a host has begun one. */
    static boolean hasRecord(KilledProject project) {
        return !project.database.equals(ChaosHost.OWN_RECORD) || Files.exists(record(project));
    }

    /** Whether a story waits for people. */
    static boolean isWaitedFor(KilledProject project) {
        if (!hasRecord(project)) {
            return false;
        }
        try (Store record = open(project)) {
            return !new Inbox(record.requests(), () -> {}).pending().isEmpty();
        } catch (StoreException e) {
            // Its tables were in the making.
            return false;
        }
    }

    private static Path record(KilledProject project) {
        return project.hosts.get(0).project().resolve(".maestro/maestro.db");
    }

    /** The file beside a mirror that Maestro locks by the operating system stays; git's own are locks while they exist. */
    private void mirrors(Path directory) throws IOException {
        Path all = directory.resolve(".mirrors");
        if (Files.notExists(all)) {
            // Others have done every story.
            return;
        }
        try (Stream<Path> files = Files.walk(all)) {
            files.filter(file -> file.toString().endsWith(".lock")
                            && !file.toString().endsWith(".git.lock"))
                    .forEach(file -> found.add(file.toString()));
        }
        try (Stream<Path> mirrors = Files.list(all)) {
            for (Path mirror :
                    mirrors.filter(path -> path.toString().endsWith(".git")).toList()) {
                // The branches are the remote repository's; what is kept is dropped by the upkeep.
                TestRepository.git(mirror, "for-each-ref", "--format=%(refname)")
                        .lines()
                        .filter(ref -> !ref.startsWith("refs/heads/") && !ref.equals("refs/maestro/kept"))
                        .forEach(ref -> found.add("ref " + ref + " in " + mirror));
            }
        }
    }

    private void workspaces(Path directory) throws IOException {
        for (Path parent : List.of(directory, directory.resolve(".maestro/git"))) {
            if (Files.isDirectory(parent)) {
                try (Stream<Path> workspaces = Files.list(parent)) {
                    for (Path workspace : workspaces
                            .filter(path -> path.getFileName().toString().matches("(coder|architect)-.*"))
                            .toList()) {
                        addAll(workspace);
                    }
                }
            }
        }
        addAll(directory.resolve(".maestro/workspaces"));
    }

    /** SQLite's library is left by its own driver when a process is killed. */
    private void temporary(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(file -> !file.getFileName().toString().startsWith("sqlite-"))
                    .forEach(file -> found.add(file.toString()));
        }
    }

    private void addAll(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            try (Stream<Path> content = Files.list(directory)) {
                content.forEach(file -> found.add(file.toString()));
            }
        }
    }

    /** Nobody holds one; those of the killed have expired soon. */
    private void leases() throws InterruptedException {
        try (Store store = open(project)) {
            List<String> held = new ArrayList<>(List.of(Leases.spec(SixStories.SPEC.id())));
            store.stories().forEach(story -> held.add(Leases.story(story.id())));
            held.add(Leases.merge("main"));
            store.beginSession(new AuditLog.Session("looks", "", Instant.now(), 1, null));
            long deadline = System.nanoTime() + LIMIT.toNanos();
            for (String lease : held) {
                while (store.leases()
                        .acquire(List.of(lease), "looks", Duration.ofSeconds(1))
                        .isEmpty()) {
                    if (System.nanoTime() > deadline) {
                        found.add(lease);
                        break;
                    }
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            }
        }
    }

    /** Processes that work in the project, or were started by its executors. */
    private void processes() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            for (Path process : all.filter(path -> path.getFileName().toString().matches("[0-9]+"))
                    .toList()) {
                if (belongsHere(process)) {
                    found.add("process " + process.getFileName() + " " + command(process));
                }
            }
        }
    }

    private static String command(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException e) {
            return "has ended meanwhile";
        }
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
            return text.contains(project.directory + "/");
        } catch (IOException e) {
            // It has ended meanwhile, or is somebody else's.
            return false;
        }
    }
}
