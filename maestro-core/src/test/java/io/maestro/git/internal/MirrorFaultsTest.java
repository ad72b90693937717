package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.lock.MirrorLock;
import io.maestro.git.internal.lock.StaleLocks;
import io.maestro.testing.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks that killed processes leave, connections that break, and what JGit would leave in the host's home. */
class MirrorFaultsTest {
    @TempDir
    Path directory;

    private GitRepository repository(TestRepository people) {
        return new GitRepository(directory.resolve("work"), people.bare.toString());
    }

    /** A git that outlived its JVM may hold it still. Whoever needs nothing of what is locked goes on meanwhile. */
    @Test
    void aFreshLockOfAKilledProcessIsWaitedForWithoutTheMirror() throws Exception {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people);
        repository.refresh();
        Path lock = repository.mirror().resolve("packed-refs.lock");
        write(repository.mirror(), "packed-refs.lock", "");
        Duration left = Duration.ofSeconds(4);
        Files.setLastModifiedTime(
                lock, FileTime.from(Instant.now().minus(StaleLocks.AGE).plus(left)));
        Files.delete(RepositoryProblemsTest.clean(repository));
        Thread waiting = new Thread(() -> repository.forgetAll(story -> true));
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING
                || Stream.of(waiting.getStackTrace())
                        .noneMatch(frame -> frame.getMethodName().equals("sleep"))) {
            assertThat(waiting.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        try (MirrorLock mine = MirrorLock.acquire(repository.mirror(), Duration.ofMinutes(1))) {
            assertThat(lock).as("nobody has waited for it to get old").exists();
        }
        waiting.join(60_000);
        assertThat(waiting.isAlive()).isFalse();
        assertThat(lock).doesNotExist();
    }

    @Test
    void staleLocksAreLookedForOnlyAfterAHolderThatWasKilledOrFailed() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people);
        repository.refresh();
        Path lock = repository.mirror().resolve("refs/unrelated.lock");
        write(repository.mirror(), "refs/unrelated.lock", "");
        Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minus(StaleLocks.AGE)));
        repository.refresh();
        assertThat(lock).exists();
        assertThatThrownBy(() -> repository.findMerged("gone", List.of())).isInstanceOf(GitException.class);
        repository.refresh();
        assertThat(lock).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fatal: the remote end hung up unexpectedly",
                "fatal: The remote end hung up unexpectedly",
                "client_loop: send disconnect: Broken pipe",
                "error: RPC failed; curl 56 GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
                "fatal: unable to access 'https://h/': GnuTLS, handshake failed: The TLS connection was non-properly terminated.",
                "fatal: unable to access 'https://h/': gnutls_handshake() failed: The TLS connection was non-properly terminated.",
                "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)",
                "fatal: unable to access 'https://h/': OpenSSL SSL_connect: Connection reset by peer in connection to h:443",
                "fatal: unable to access 'https://h/': Empty reply from server",
                "fatal: unable to access 'https://h/': OpenSSL/3: error:0A000126:SSL routines::unexpected eof while reading",
                "fatal: early EOF\nfatal: index-pack failed",
                "fatal: read error: Connection reset by peer",
                "ssh: connect to host h port 22: Connection timed out",
                "ssh: connect to host h port 22: Network is unreachable",
                "kex_exchange_identification: read: Connection reset by peer",
                "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502",
                "fatal: unable to look up h (port 9418) (Name or service not known)",
                "fatal: failed to read object 1: Stale file handle\nfatal: the remote end hung up",
                "fatal: '/x' does not appear to be a git repository\nfatal: Could not read from remote repository.",
                "remote: Repository not found.\nfatal: repository 'https://h/x.git/' not found",
                "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
                "fatal: remote error: access denied or repository not exported: /x"
            })
    void aBrokenConnectionMeansThatTheRepositoryIsNotReachable(String said) {
        assertThat(RemoteFailure.isUnreachable(said)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413\n"
                        + "fatal: the remote end hung up unexpectedly",
                "git@h: Permission denied (publickey).\nfatal: the remote end hung up unexpectedly",
                "fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none CRLfile: none",
                "fatal: Authentication failed for 'https://h/'",
                "Host key verification failed.\nfatal: Could not read from remote repository.",
                "fatal: couldn't find remote ref refs/heads/gone",
                "error: failed to push some refs to 'https://h/'"
            })
    void whatTheServerHasDecidedDoesNotGetBetterByWaiting(String said) {
        assertThat(RemoteFailure.isUnreachable(said)).isFalse();
    }

    /** As an earlier life has left it. */
    private void fetched(GitRepository repository) throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        TestRepository.git(
                directory,
                "clone",
                "-q",
                "--mirror",
                people.bare.toString(),
                repository.mirror().toString());
    }

    /** Git's own words. Nobody listens at port 1, and there is no name in the domain invalid. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}/none.git",
                "file://{}/none.git",
                "http://127.0.0.1:1/x.git",
                "git://127.0.0.1:1/x.git",
                "ssh://127.0.0.1:1/x.git",
                "https://git.invalid/x.git",
                "git://git.invalid/x.git"
            })
    void aFirstContactThatFailsIsAnErrorAndALaterOneAnOutage(String address) throws IOException {
        GitRepository repository =
                new GitRepository(directory.resolve("work"), address.replace("{}", directory.toString()));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> repository.refresh())
                    .isInstanceOf(GitException.class)
                    .message()
                    .satisfies(message -> assertThat(message.lines().findFirst())
                            .hasValueSatisfying(first -> assertThat(first).contains("correct the address")));
        }
        assertThat(repository.lastKnown()).isEmpty();
        fetched(repository);
        assertThatThrownBy(() -> repository.refresh()).isInstanceOf(GitUnavailableException.class);
        assertThat(repository.lastKnown()).contains("main");
    }

    @Test
    void anUnknownHostKeyIsAnErrorHoweverOftenTheServerWasReached() {
        GitCli.GitResult result = new GitCli.GitResult("git fetch", 128, "", "Host key verification failed.");
        for (boolean reached : List.of(false, true)) {
            assertThat(RemoteFailure.of("cannot fetch", result, reached))
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("known_hosts");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatHangsUpOrIsSilentIsAnOutageWhereItWasReachedBefore(boolean silent) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> {
                try {
                    List<Socket> open = new ArrayList<>();
                    while (true) {
                        open.add(server.accept());
                        if (!silent) {
                            open.remove(0).close();
                        }
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            answers.start();
            Duration shortly = silent ? Duration.ofMillis(300) : Duration.ofMinutes(1);
            GitRepository repository = new GitRepository(
                    directory.resolve("work"),
                    "git://127.0.0.1:" + server.getLocalPort() + "/x.git",
                    GitOptions.defaults(),
                    new SecretCheck(text -> text, List.of(), false),
                    new GitTimes(Duration.ofMinutes(1), shortly));
            assertThatThrownBy(() -> repository.refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("correct the address");
            fetched(repository);
            assertThatThrownBy(() -> repository.refresh()).isInstanceOf(GitUnavailableException.class);
            server.close();
            answers.join();
        }
    }

    /** What another JVM does. */
    static final class InAHome {
        public static void main(String[] arguments) {
            GitRepository repository = new GitRepository(Path.of(arguments[0]), arguments[1]);
            repository.checkout("coder-001", "1", 1, repository.refresh()).snapshot();
        }
    }

    @Test
    void nothingIsWrittenIntoTheHomeOfTheHost() throws Exception {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        Path home = Files.createDirectory(directory.resolve("home"));
        ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(
                List.of("-Duser.home=" + home),
                InAHome.class,
                directory.resolve("work").toString(),
                people.bare.toString()));
        builder.environment().put("HOME", home.toString());
        builder.environment().remove("XDG_CONFIG_HOME");
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(home).isEmptyDirectory();
    }
}
