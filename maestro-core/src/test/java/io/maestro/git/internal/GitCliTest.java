package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitCliTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final GitTimes TIMES = new GitTimes(LONG, LONG);
    private static final RemoteUrl REMOTE = RemoteUrl.parse("https://jo:s3cr%2Ft%40x@example.org:8443/a/b.git");

    @TempDir
    Path directory;

    private GitCli fake(String script, Duration limit) throws IOException {
        Path git = directory.resolve("git");
        Files.writeString(
                git, "#!/bin/sh\n[ \"$1\" = --version ] && { echo git version 2.39.5; exit 0; }\n" + script + "\n");
        git.toFile().setExecutable(true);
        return new GitCli(git.toString(), new GitTimes(limit, limit));
    }

    @Test
    void withoutGitOneIsToldToInstallIt() {
        assertThatThrownBy(() -> new GitCli(directory.resolve("none").toString(), TIMES).local(directory, "status"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("install git 2.38");
    }

    @Test
    void anOldGitIsRefused() throws IOException {
        Path git = directory.resolve("git");
        Files.writeString(git, "#!/bin/sh\necho git version 2.30.1\n");
        git.toFile().setExecutable(true);
        assertThatThrownBy(() -> new GitCli(git.toString(), TIMES).local(directory, "status"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("2.30.1")
                .hasMessageContaining("too old");
    }

    @Test
    void theExitCodeAndBothOutputsAreKept() throws IOException {
        GitCli.GitResult result = fake("echo out; echo err >&2; exit 128", LONG).local(directory, "x");
        assertThat(result).isEqualTo(new GitCli.GitResult("git x", 128, "out\n", "err\n"));
        assertThatThrownBy(() -> result.orThrow("cannot")).hasMessageContainingAll("cannot", "128", "err");
    }

    @Test
    void theOutputOfAKilledProcessStaysWhereTheNextOneClearsIt() throws IOException {
        Path output = directory.resolve("output");
        GitCli git = fake("ls " + output, LONG).in(output);

        assertThat(git.local(directory, "x").out().lines()).hasSize(2).allMatch(name -> name.startsWith("maestro-git"));
        assertThat(output).isEmptyDirectory();

        Files.createFile(output.resolve("maestro-git123.out"));
        Files.createFile(output.resolve("maestro-git123.err"));
        Files.createFile(output.resolve("of-others.out"));
        GitProcess.clear(output);

        assertThat(output).isDirectoryNotContaining("glob:**/maestro-git*").isNotEmptyDirectory();
    }

    @Test
    void theTimeLimitKillsTheWholeTree() throws Exception {
        Path pid = directory.resolve("pid");
        GitCli git = fake("echo before >&2; sleep 300 & echo $! > " + pid + "; wait", Duration.ofMillis(900));
        assertThatThrownBy(() -> git.local(directory, "x"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("no progress for 900 ms")
                .hasMessageContaining("before");
        assertDead(pid);
        assertThatThrownBy(() -> git.remote(directory, REMOTE, "x")).isInstanceOf(GitUnavailableException.class);
        assertDead(pid);
    }

    @Test
    void gitThatReportsProgressIsNotStuck() throws IOException {
        GitCli.GitResult result = fake(
                        "i=0; while [ $i -lt 17 ]; do i=$((i+1)); printf \"Receiving objects:  $i%% ($i/17)\\r\" >&2;"
                                + " sleep 0.1; done; echo 'remote: Counting objects: 100% (3/3), done.' >&2;"
                                + " echo 'fatal: early EOF' >&2; exit 128",
                        Duration.ofSeconds(1))
                .remote(directory, REMOTE, "fetch");
        assertThat(result.err()).isEqualTo("fatal: early EOF\n");
    }

    @Test
    void gitThatComputesIsNotStuckUnlessItTalksToARemote() throws IOException {
        GitCli git = fake(
                "end=$(($(date +%s%N) + 1600000000)); while [ $(date +%s%N) -lt $end ]; do i=0;"
                        + " while [ $i -lt 9999 ]; do i=$((i+1)); done; done; echo done",
                Duration.ofSeconds(1));
        assertThat(git.local(directory, "repack").out()).isEqualTo("done\n");
        assertThatThrownBy(() -> git.remote(directory, REMOTE, "fetch"))
                .isInstanceOf(GitUnavailableException.class)
                .hasMessageContaining("no progress for 1000 ms")
                .hasMessageContaining("the server of the repository");
    }

    @Test
    void progressWithoutEndEnds() throws IOException {
        GitCli git = fake("while :; do echo more >&2; sleep 0.02; done", Duration.ofMillis(50));
        assertThatThrownBy(() -> git.local(directory, "x"))
                .hasMessageContaining("was killed")
                .hasMessageContaining("the disk");
    }

    private static void assertDead(Path pid) throws Exception {
        Optional<ProcessHandle> child =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
        if (child.isPresent()) {
            child.get().onExit().get(10, java.util.concurrent.TimeUnit.SECONDS);
        }
    }

    @Test
    void aCancelledThreadKillsGit() throws Exception {
        Path pid = directory.resolve("pid");
        GitCli git = fake("echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; exec sleep 300", LONG);
        Thread caller = Thread.currentThread();
        Thread canceller = new Thread(() -> {
            while (!Files.exists(pid)) {
                LockSupport.parkNanos(1_000_000);
            }
            caller.interrupt();
        });
        canceller.start();
        assertThatThrownBy(() -> git.local(directory, "x"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("cancelled");
        assertThat(Thread.interrupted()).isTrue();
        canceller.join();
        assertDead(pid);
    }

    /** A hook of the remote repository waits while git holds the locks there. */
    @Test
    void aPushThatIsCancelledLeavesNoLockInTheRepository() throws Exception {
        TestRepository remote =
                TestRepository.create(Files.createDirectory(directory.resolve("remote")), Map.of("a", "a"));
        Path bare = Path.of(remote.url());
        Path locked = directory.resolve("locked");
        Path hook = Files.createDirectories(bare.resolve("hooks")).resolve("reference-transaction");
        Files.writeString(hook, "#!/bin/sh\n[ \"$1\" = prepared ] || exit 0\n: > " + locked + "; sleep 300\n");
        hook.toFile().setExecutable(true);
        TestRepository.git(directory, "clone", "--quiet", remote.url(), "clone");
        Thread caller = Thread.currentThread();
        Thread canceller = new Thread(() -> {
            while (!Files.exists(locked)) {
                LockSupport.parkNanos(1_000_000);
            }
            caller.interrupt();
        });
        canceller.start();

        assertThatThrownBy(() -> new GitCli("git", TIMES)
                        .remote(
                                directory.resolve("clone"),
                                RemoteUrl.parse(remote.url()),
                                "push",
                                remote.url(),
                                "HEAD:refs/heads/new"))
                .hasMessageContaining("cancelled");

        assertThat(Thread.interrupted()).isTrue();
        canceller.join();
        try (Stream<Path> left = Files.walk(bare)) {
            assertThat(left.map(Path::toString)).noneMatch(name -> name.endsWith(".lock"));
        }
    }

    @Test
    void outputWithoutEndIsBounded() throws IOException {
        assertThatThrownBy(() -> fake("yes | head -c 40000000", LONG).local(directory, "x"))
                .hasMessageContaining("MB");
        assertThat(fake("yes | head -c 1000000 >&2", LONG).local(directory, "x").err())
                .hasSize(64 << 10);
    }

    @Test
    void aChildThatHoldsThePipeOpenDoesNotHoldUsUp() throws IOException {
        Path pid = directory.resolve("pid");
        GitCli.GitResult result =
                fake("sleep 300 & echo $! > " + pid + "; echo done", LONG).local(directory, "x");
        assertThat(result.out()).isEqualTo("done\n");
        assertThat(Thread.getAllStackTraces().keySet())
                .as("nobody waits for that child")
                .noneMatch(thread -> thread.getName().startsWith("maestro-git"));
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void gitIsAloneWithARepositoryButHasTheUsersConfigForARemote() throws IOException {
        String local = fake("env; echo \"$@\"", LONG).local(directory, "x").out();
        assertThat(local)
                .contains("GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C\n")
                .contains("core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.ext.allow=never");
        String remote = fake("env; echo \"$@\"", LONG)
                .remote(directory, RemoteUrl.parse("https://example.org/x"), "x")
                .out();
        assertThat(remote)
                .doesNotContain("GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM", "MAESTRO_GIT")
                .contains("GIT_TERMINAL_PROMPT=0", "core.hooksPath=/dev/null", "HOME=");
    }

    @Test
    void credentialsAreInTheEnvironmentAndMaskedEverywhereElse() throws IOException {
        assertThat(REMOTE.url()).isEqualTo("https://example.org:8443/a/b.git");
        Path seen = directory.resolve("seen");
        GitCli.GitResult result = fake(
                        "env > " + seen + "; echo \"$@\"; echo 'https://jo:other@h/ s3cr/t@x' >&2; exit 1", LONG)
                .remote(directory, REMOTE, "fetch", REMOTE.url());
        assertThat(Files.readString(seen))
                .contains("MAESTRO_GIT_PASSWORD=s3cr/t@x", "MAESTRO_GIT_USERNAME=jo")
                .contains("GIT_CONFIG_KEY_1=credential.https://example.org:8443.helper");
        assertThat(result.out()).doesNotContain("s3cr", "jo:");
        assertThat(result.err()).isEqualTo("https://***@h/ ***\n");
        assertThat(result.failure("cannot").getMessage()).doesNotContain("s3cr", "other");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://bob:Pa55/word99@h.io/x.git",
                "ssh://bob:Pa55/word99@h.io/x.git",
                "https:/bob:Pa55word99@h.io/x.git",
                "ssh:/bob:Pa55word99@h.io/x.git",
                "bob:Pa55word99@h.io:x.git",
                "bob:Pa55/word99@h.io:x.git",
                "https://h.io/x.git?private_token=Pa55word99",
                "https://bob@h.io/x.git?private_token=Pa55word99",
                "ftp://bob:Pa55'word99@h.io/x",
                "ftp://bob:Pa55 word99@h.io/x",
                "ftp://h.io/x?token=Pa55word99",
                "https://bob:Pa55word99@-h/x",
                "https://bob:Pa55\tword99@h/x",
                "ext::sh -c Pa55word99"
            })
    void aRefusalShowsNoPassword(String url) {
        assertThatThrownBy(() -> RemoteUrl.parse(url))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("is refused")
                .hasMessageNotContainingAny("Pa55", "word99", "bob");
    }

    @Test
    void blanksAroundAUrlDoNotCount() {
        RemoteUrl url = RemoteUrl.parse(" https://bob:Pa55word99@h.io/x.git\n");
        assertThat(url.url()).isEqualTo("https://h.io/x.git");
        assertThat(url.secrets()).containsExactly("Pa55word99");
    }

    @Test
    void urlsAreTakenApart() {
        for (String url :
                List.of("https://[::1]:8443/a", "ssh://git@h:22/~me/a", "git@h:~me/a@b.git", "h:a/b", "https://h:/a")) {
            assertThat(RemoteUrl.parse(url).url()).isEqualTo(url);
        }
        assertThat(RemoteUrl.parse("git@host:a/b.git").url()).isEqualTo("git@host:a/b.git");
        assertThat(RemoteUrl.parse("ssh://git:pw@host:22/a").url()).isEqualTo("ssh://git@host:22/a");
        assertThat(RemoteUrl.parse("https://ghp_0123456789abcdefghij@h/a").url())
                .isEqualTo("https://h/a");
        assertThat(RemoteUrl.parse("https://ghp_0123456789abcdefghij@h/a").mask("x ghp_0123456789abcdefghij"))
                .isEqualTo("x ***");
        assertThat(RemoteUrl.parse("some/dir").url())
                .isEqualTo(Path.of("some/dir").toAbsolutePath().toString());
        assertThat(RemoteUrl.parse("file:///a%20b").localPath()).contains(Path.of("/a b"));
        assertThat(RemoteUrl.parse("https://h/a@b").url()).isEqualTo("https://h/a@b");
        assertThat(RemoteUrl.maskUserInfo("see https://h/a@b and https://u:p@h/"))
                .isEqualTo("see https://h/a@b and https://***@h/");
    }
}
