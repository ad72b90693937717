package io.maestro.docker.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.Containers;
import io.maestro.docker.DockerHost;
import io.maestro.docker.ProvisionedContainer;
import io.maestro.docker.Purpose;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.ExecRequest;
import io.maestro.testing.Campaign;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that is killed while it does one of the things that are done with containers, at any moment of it: the next start finds
 * the container that stays, and nothing else.
 */
@RequiresEngine
class KilledOperationsTest {
    private static final int MOST_MILLIS = 600;

    @TempDir
    Path directory;

    /** Something that a program does again and again. */
    @FunctionalInterface
    interface KilledOperation {
        void run(Containers own, ProvisionedContainer box, Path files) throws Exception;
    }

    private static final Map<String, KilledOperation> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put(
                "create",
                (own, box, files) -> own.create(
                                ContainerRequest.builder().name("more").build())
                        .destroy());
        OPERATIONS.put("exec", (own, box, files) -> out(box, "sleep 0.1"));
        OPERATIONS.put("exec_background", (own, box, files) -> box.startJob("true"));
        OPERATIONS.put("exec_poll", (own, box, files) -> box.job(box.startJob("true"), 0));
        OPERATIONS.put("exec_cancel", (own, box, files) -> box.cancelJob(box.startJob("sleep 100")));
        OPERATIONS.put("copy_in", (own, box, files) -> box.copyIn(files, "/tmp/in"));
        OPERATIONS.put("copy_out", (own, box, files) -> {
            Path to = files.resolve(UUID.randomUUID().toString());
            box.copyOut("/tmp/large", to);
            Files.delete(to);
        });
        OPERATIONS.put("snapshot", (own, box, files) -> box.snapshot("saved"));
        OPERATIONS.put("restore", (own, box, files) -> {
            box.snapshot("saved");
            own.create(ContainerRequest.builder()
                            .name("restored")
                            .snapshot("saved")
                            .build())
                    .destroy();
        });
        OPERATIONS.put("create_network", (own, box, files) -> {
            own.createNetwork("lan", true);
            own.destroyNetwork("lan");
        });
        OPERATIONS.put("add_hosts", (own, box, files) -> box.addHosts(Map.of("there", "192.0.2.1")));
        OPERATIONS.put("wait_healthy", (own, box, files) -> box.waitHealthy("false", Duration.ofMillis(50), 3));
        OPERATIONS.put(
                "compose",
                (own, box, files) -> own.create(ContainerRequest.builder()
                                .name("served")
                                .composeContent(
                                        "services: {db: {image: \"maestro-test/busybox:latest\", command: \"sleep 100\"}}")
                                .build())
                        .destroy());
        OPERATIONS.put("destroy_all", (own, box, files) -> {
            own.create(ContainerRequest.builder().name("gone").build());
            own.container("gone").destroy();
        });
        OPERATIONS.put("cache_clear", (own, box, files) -> own.clearCaches(Optional.of("killed")));
    }

    private static Containers open(Path project) {
        return Containers.on(DockerHost.local())
                .projectDirectory(project)
                .rules(ContainerRules.builder()
                        .image("maestro-test/busybox:latest")
                        .purpose(Purpose.of("killed", "maestro-test/busybox:latest"))
                        .build())
                .open();
    }

    private static String out(ProvisionedContainer container, String line) {
        return container.run(ExecRequest.shell(line).build()).stdout().text();
    }

    /** The program. */
    static final class Program {
        public static void main(String[] arguments) throws Exception {
            Path project = Path.of(arguments[0]);
            Path files = Files.createDirectories(Path.of(arguments[1]));
            Files.writeString(files.resolve("in"), "in");
            try (Containers own = open(project)) {
                if (own.provisioned().isEmpty()) {
                    ProvisionedContainer stays = own.create(ContainerRequest.builder()
                            .name("stays")
                            .persistent(true)
                            .environment("OWN", "value")
                            .build());
                    out(stays, "dd if=/dev/zero of=/tmp/large bs=1024k count=8");
                }
                System.out.println("begun");
                while (true) {
                    OPERATIONS.get(arguments[2]).run(own, own.container("stays"), files);
                }
            }
        }
    }

    @Full("many JVMs; SweepTest has what a killed JVM leaves")
    @Test
    void theNextStartFindsWhatStaysAndNothingElse() throws Exception {
        List<String> operations = new ArrayList<>(OPERATIONS.keySet());
        Random random = new Random(Campaign.seed("killed operations"));
        Collections.shuffle(operations, random);
        // Three that are drawn anew each time; -Dnumber=15 tries all.
        for (String operation : operations.subList(0, Math.min(operations.size(), Campaign.number(3)))) {
            killedIn(operation, random.nextInt(MOST_MILLIS));
        }
        Path project = directory.resolve("project");
        try (Containers last = open(project)) {
            last.destroyAll();
            last.snapshots().forEach(last::removeSnapshot);
        }
        assertThat(there("container", "--all")).isEmpty();
    }

    private void killedIn(String operation, int millis) throws Exception {
        Path project = directory.resolve("project");
        Path files = directory.resolve("files");
        Path said = directory.resolve("said");
        Process process = ChildJvm.of(
                        directory.resolve("temporary"), Program.class, project.toString(), files.toString(), operation)
                .redirectError(said.toFile())
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && !line.equals("begun")) {
                line = lines.readLine();
            }
            assertThat(line).as("%s: %s", operation, Files.readString(said)).isEqualTo("begun");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            assertThat(process.isAlive())
                    .as("%s: %s", operation, Files.readString(said))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String when = operation + ", killed after " + millis + " ms";
        try (Containers next = open(project)) {
            assertThat(next.provisioned())
                    .as(when)
                    .extracting(ProvisionedContainer::name)
                    .containsExactly("stays");
            // The engine holds a container until it has the snapshot, though nobody asks for it any more.
            while (!there("container", "--filter", "status=paused").isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            assertThat(out(next.container("stays"), "echo $OWN")).as(when).isEqualTo("value\n");
            assertThat(there("container", "--all")).as(when).hasSize(1);
            assertThat(there("network")).as(when).isEmpty();
            assertThat(there("volume")).as(when).isEmpty();
            try (Stream<Path> clients = Files.list(project.resolve(".maestro/clients"))) {
                assertThat(clients).as(when).isEmpty();
            }
        }
    }

    private List<String> there(String kind, String... options) throws Exception {
        String id = Files.readAllLines(directory.resolve("project/.maestro/instance"))
                .get(0)
                .strip();
        List<String> words =
                new ArrayList<>(List.of(kind, "ls", "--quiet", "--filter", "label=io.maestro.instance=" + id));
        words.addAll(List.of(options));
        return new DockerCli(DockerHost.local())
                .output(words.toArray(String[]::new))
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }
}
