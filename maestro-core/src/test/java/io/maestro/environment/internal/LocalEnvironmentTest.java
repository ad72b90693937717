package io.maestro.environment.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.environment.Environment;
import io.maestro.environment.Equipment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Workplace;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program has beside the workspace where it runs on this machine itself. */
class LocalEnvironmentTest {
    private static final Equipment KEEPS = new Equipment(true, Optional.empty(), false);

    @TempDir
    Path project;

    private Workplace place(String story, int attempt, Equipment equipment) {
        return new Workplace("coder-001", story, attempt, project.resolve("coder-001"), List.of(), equipment);
    }

    private Environment open(Workplace place) {
        return new LocalEnvironment(
                place, directory -> LocalExecutor.builder(directory).build(), new LocalState(project));
    }

    private Path state(Environment environment) {
        return Path.of(environment.stateDirectory().orElseThrow());
    }

    @Test
    void thereIsNothingForWhoeverAsksForNothing() {
        Environment environment = open(place("7", 1, Equipment.NONE));
        assertThat(environment.stateDirectory()).isEmpty();
        assertThat(environment.socketDirectory()).isEmpty();
        assertThat(environment.hostRoute()).isEmpty();
        environment.close();
        assertThat(project).isEmptyDirectory();
    }

    @Test
    void socketsAndServersAreWhereTheyAre() {
        Environment environment = open(place("7", 1, new Equipment(false, Optional.of(project.resolve("s")), true)));
        assertThat(environment.socketDirectory()).contains(project.resolve("s").toString());
        HostRoute route = environment.hostRoute().orElseThrow();
        assertThat(route.address().isLoopbackAddress()).isTrue();
        assertThat(route.name()).isEqualTo("127.0.0.1");
        assertThat(environment.stateDirectory()).isEmpty();
    }

    @Test
    void theStateIsTheAgentsAlone() throws IOException {
        Path state = state(open(place("7", 1, KEEPS)));
        assertThat(state).isEqualTo(project.resolve(".maestro/state/coder-001")).isEmptyDirectory();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
                .isEqualTo("rwx------");
    }

    /** A life that is killed closes nothing. */
    @Test
    void theNextLifeOfAnAttemptFindsItsState() throws IOException {
        Files.writeString(state(open(place("7", 1, KEEPS))).resolve("session"), "s");
        Environment next = open(place("7", 1, KEEPS));
        assertThat(state(next).resolve("session")).hasContent("s");
        next.remove();
        next.remove();
        assertThat(project.resolve(".maestro/state")).isEmptyDirectory();
        assertThat(next.stateDirectory()).isEmpty();
    }

    @Test
    void anotherAttemptOrStoryFindsNothing() throws IOException {
        for (Workplace other : List.of(place("7", 2, KEEPS), place("8", 1, KEEPS))) {
            Files.writeString(state(open(place("7", 1, KEEPS))).resolve("session"), "s");
            assertThat(state(open(other))).isEmptyDirectory();
        }
    }

    @Test
    void whatWasEmptiedHalfWayIsNotTakenForWhole() throws IOException {
        Path state = state(open(place("7", 1, KEEPS)));
        Files.writeString(state.resolve("session"), "s");
        Files.delete(project.resolve(".maestro/state/.coder-001"));
        assertThat(state(open(place("7", 1, KEEPS)))).isEmptyDirectory();
    }

    /** Half made, half removed, or in the place of something else: what does not say whose it is belongs to nobody. */
    @Test
    void whatDoesNotSayWhoseItIsIsRemovedAndDisturbsNobody() throws IOException {
        LocalState state = new LocalState(project);
        state.removeAllBut(Map.of("7", 1));
        Files.writeString(state(open(place("7", 1, KEEPS))).resolve("session"), "s");
        Path all = project.resolve(".maestro/state");
        Files.createDirectories(all.resolve("coder-002/half"));
        Files.createDirectories(all.resolve("coder-003"));
        Files.createDirectories(all.resolve(".coder-003/no mark"));
        Files.writeString(all.resolve(".coder-004"), "7 1\n8 1\n");
        Files.writeString(all.resolve("..coder-001"), "8 1\n");
        Files.createSymbolicLink(all.resolve("coder-005"), project);
        Files.createSymbolicLink(all.resolve(".coder-006"), all.resolve(".coder-001"));
        state.removeAllBut(Map.of("7", 1));
        try (Stream<Path> left = Files.list(all)) {
            assertThat(left).containsExactlyInAnyOrder(all.resolve("coder-001"), all.resolve(".coder-001"));
        }
        assertThat(state(open(place("7", 1, KEEPS))).resolve("session")).hasContent("s");
    }

    /** As a host's executor on a container of its own. */
    @Test
    void nothingOfThisMachineIsThereWhereCommandsRunElsewhere() {
        Executor elsewhere = new Executor() {
            @Override
            public ExecResult run(ExecRequest request) {
                throw new AssertionError();
            }

            @Override
            public ExecProcess start(ExecRequest request) {
                throw new AssertionError();
            }

            @Override
            public void endLeftovers() {}

            @Override
            public String workingDirectory() {
                return "/workspace";
            }
        };
        Environment environment = new LocalEnvironment(
                place("7", 1, new Equipment(true, Optional.of(project), true)),
                directory -> elsewhere,
                new LocalState(project));
        assertThat(environment.stateDirectory()).isEmpty();
        assertThat(environment.socketDirectory()).isEmpty();
        assertThat(environment.hostRoute()).isEmpty();
    }

    /** Settings at home are how a command changes what the next one does. */
    @Test
    void whatIsJudgedSeesTheCheckoutAndAnEmptyHome() throws IOException {
        Path checkout = Files.createDirectories(project.resolve(".maestro/checkouts/one"));
        Files.writeString(checkout.resolve("file"), "there");
        String seen = open(place("7", 1, KEEPS))
                .runFresh(
                        checkout,
                        null,
                        executor -> executor.run(ExecRequest.shell("cat file; ls -a $HOME; : >$HOME/.mavenrc")
                                        .build())
                                .stdout()
                                .text());
        assertThat(seen).isEqualTo("there.\n..\n");
        try (Stream<Path> left = Files.list(project.resolve(".maestro/checkouts"))) {
            assertThat(left).containsExactly(checkout);
        }
    }
}
