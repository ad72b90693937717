package io.maestro.docker.internal.workspace;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerHost;
import io.maestro.docker.Mount;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On an engine that does not see this machine's files. */
@Full("an engine of its own; on the machine's engine a volume takes the same way")
class VolumeWorkspaceOnSecondEngineTest extends VolumeWorkspaceTest {
    @RegisterExtension
    static final SecondEngine SECOND = new SecondEngine(GitImage.NAME);

    @Override
    DockerHost host() {
        return SECOND.host();
    }

    @Override
    Path projects() {
        return SECOND.unseen();
    }

    @Test
    void everythingGoesThereAsItIs() {
        here(STRANGE + "mkdir -p hollow/deeper; chmod 700 hollow; chmod 640 binary; chmod 444 empty;"
                + " printf 'ignored\\n' >.gitignore; printf x >ignored; touch -d '2001-02-03 04:05:06.123456789' binary;"
                + " git init -q . 2>/dev/null; echo hello >.git/note");
        String all =
                "find . -mindepth 1 \\( -type d -printf '%P|%y|%m\\0' -o -printf '%P|%y|%m|%T@|%l\\0' \\) | sort -z";
        String before = here(all);
        open();

        assertThat(inside(all)).isEqualTo(before);
        assertThat(inside("find . ! -user 1000 -o ! -group 1000")).isEmpty();
        assertThat(inside("./run.sh")).isEqualTo("ran\n");
        assertThat(here(all)).isEqualTo(before);
    }

    @Test
    void whatGitIgnoresStaysThere() {
        here("printf '*.log\\nbuild/\\nsecret\\n' >.gitignore; printf mine >secret");
        open();
        inside("printf x >a.log; mkdir build hollow; printf y >build/out; printf z >kept");

        assertThat(here("ls -A")).isEqualTo(".gitignore\nkept\nsecret\n");
        assertThat(inside("cat a.log build/out; ls -d hollow")).isEqualTo("xyhollow\n");
        // What came from here counts, ignored or not.
        inside("printf theirs >secret");
        assertThat(here("cat secret")).isEqualTo("theirs");
    }

    @Test
    void agentsUseTheirOwnRepository() {
        here("git init -q . && git config user.name A && git config user.email a@b && printf 1 >file && git add ."
                + " && git commit -qm first");
        open();
        inside("printf 2 >file; git commit -qam second; printf 3 >file");

        assertThat(inside("git log --format=%s; git status --porcelain")).isEqualTo("second\nfirst\n M file\n");
        assertThat(here("cat file; git log --format=%s")).isEqualTo("3first\n");
    }

    @Test
    void aLinkThereIsReplacedAndNotFollowed() {
        here("mkdir d other; printf x >d/file; printf x >other/file");
        open();
        // Behind the back of the workspace: both sides change the same.
        commands.run(ExecRequest.shell("rm -r d; ln -s other d").build());
        here("printf new >d/file; printf newer >d/second");

        assertThat(inside("cat other/file; ls other")).isEqualTo("xfile\n");
    }

    @Test
    void largeFilesTravelBothWays() {
        here("head -c 50000000 /dev/urandom >there");
        open();
        String sum = inside("head -c 50000000 /dev/urandom >back; sha256sum there back");

        assertThat(here("sha256sum there back")).isEqualTo(sum);
    }

    @Test
    void moreThanTheLimitIsRefusedAndNothingIsLost() {
        workspace.close();
        workspace = workspace(1 << 20);
        here("printf x >file");
        open();
        assertThatThrownBy(() -> inside("printf y >file; head -c 3000000 /dev/urandom >large"))
                .hasMessageContaining("EXITED with exit code 0")
                .hasMessageContaining(".gitignore");
        assertThat(here("cat file; ls")).isEqualTo("xfile\n");

        assertThat(inside("printf large >.gitignore; cat file; ls")).isEqualTo("yfile\nlarge\n");
        assertThat(here("cat file; ls")).isEqualTo("yfile\n");
    }

    @Test
    void commandsInParallelLoseNothing() throws Exception {
        here("printf x >file");
        open();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < 18; i++) {
                int number = i;
                all.add(threads.submit(() -> inside("mkdir -p d" + number % 4 + "; for i in $(seq 20); do printf "
                        + number + " >d" + number % 4 + "/f" + number + "-$i; printf t >t$i; rm -f t$i; done")));
            }
            for (Future<String> one : all) {
                one.get(5, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(here("find . -type f | wc -l").strip()).isEqualTo("361");
        assertThat(here(LIST)).isEqualTo(inside(LIST));
    }

    @Test
    void aStartedCommandBringsItsFilesBackWhenItHasEnded() throws Exception {
        here("printf x >file");
        open();
        try (var process = executor.start(
                ExecRequest.shell("cat file; printf new >file").timeLimit(LIMIT).build())) {
            assertThat(process.stdout().readAllBytes()).isEqualTo("x".getBytes());
            assertThat(process.await(LIMIT)).isPresent();
            assertThat(here("cat file")).isEqualTo("new");
        }
        try (var process = executor.start(ExecRequest.shell("printf killed >file; echo; sleep 600")
                .timeLimit(LIMIT)
                .build())) {
            assertThat(process.stdout().read()).isEqualTo('\n');
        }
        assertThat(here("cat file")).isEqualTo("killed");
    }

    @Test
    void aCancelledCommandBringsItsFilesBackToo() throws Exception {
        here("printf x >file");
        open();
        Thread.currentThread().interrupt();
        inside0("true");
        assertThat(Thread.interrupted()).isTrue();
        ExecResult result = executor.run(ExecRequest.shell("printf late >file; sleep 600")
                .timeLimit(Duration.ofSeconds(2))
                .build());
        assertThat(result.ending()).isEqualTo(ExecResult.Ending.TIMED_OUT);
        assertThat(here("cat file")).isEqualTo("late");
    }

    private void inside0(String line) {
        assertThat(executor.run(ExecRequest.shell(line).build()).ending()).isEqualTo(ExecResult.Ending.CANCELLED);
    }

    @Test
    void aReadOnlyPlaceOnlySends() {
        here("printf x >file");
        open();
        executor = workspace.around(commands, true);
        here("printf y >file");
        assertThat(inside("cat file; printf z >file")).isEqualTo("y");
        assertThat(here("cat file")).isEqualTo("y");
    }

    @Test
    void theContainerBesideTheVolumeMayDie() {
        here("printf '*.log\\n' >.gitignore; printf x >file; printf l >mine.log");
        open();
        inside("printf 1 >file; printf i >other.log");
        killHelper();
        here("printf h >from-here");
        assertThat(inside("cat from-here")).isEqualTo("h");

        inside("printf 2 >file; printf m >mine.log");
        assertThat(here("cat file mine.log; ls")).isEqualTo("2mfile\nfrom-here\nmine.log\n");
    }

    /** As a restart of the engine does, between a command and the way back of what it has changed. */
    @Test
    void whatACommandHasChangedComesBackAlthoughTheContainerBesideTheVolumeHasEnded() {
        here("printf x >file; printf y >other");
        open();
        inside("printf 1 >file");
        engine.containers().stream()
                .filter(one -> one.role().equals("workspace"))
                .forEach(one -> engine.cli().output("kill", one.id()));
        inside("printf 2 >file; rm other; printf n >new");
        assertThat(here("cat file new; ls")).isEqualTo("2nfile\nnew\n");
    }

    private void killHelper() {
        engine.containers().stream()
                .filter(one -> one.role().equals("workspace"))
                .forEach(one -> engine.cli().output("rm", "-f", one.id()));
    }

    @Test
    void aVolumeThatIsGoneIsNotTakenForDeletedFiles() {
        here("printf x >file");
        Mount first = workspace.mount(false);
        killHelper();
        engine.cli().output("volume", "rm", first.source());

        here("printf y >file");
        workspace.push();
        assertThat(workspace.mount(true).source()).isNotEqualTo(first.source());
        open();
        assertThat(inside("cat file")).isEqualTo("y");
        assertThat(here("cat file")).isEqualTo("y");
    }

    @Test
    void repositoriesInsideAreMarkedHere() {
        here("printf x >file");
        open();
        inside("git init -q fresh; printf 1 >fresh/file; git init -q old; cd old; printf 2 >file; git add file;"
                + " git -c user.name=A -c user.email=a@b commit -qm one");
        assertThat(here("find fresh old -type f | sort")).isEqualTo("fresh/.git\nold/.git\n");
        inside("printf y >file; rm -rf fresh/.git old/.git");
        assertThat(here("cat file; find fresh old -type f | sort")).isEqualTo("yfresh/file\nold/file\n");
    }

    @Test
    void twoThousandFilesAreNoTrouble() {
        here(
                "for d in $(seq 20); do mkdir -p src/p$d; for f in $(seq 100); do seq $f $((f + 150)) >src/p$d/f$f; done; done;"
                        + " git init -q . 2>/dev/null; git add -A; git -c user.name=A -c user.email=a@b commit -qm all");
        long begin = System.nanoTime();
        open();
        StringBuilder times = new StringBuilder("2,000 files: there " + millis(begin) + " ms");
        for (int i = 0; i < 3; i++) {
            begin = System.nanoTime();
            inside("true");
            times.append(", nothing changed ").append(millis(begin)).append(" ms");
        }
        begin = System.nanoTime();
        commands.run(ExecRequest.shell("true").build());
        times.append(", without ").append(millis(begin)).append(" ms");
        begin = System.nanoTime();
        workspace.push();
        times.append(", of that looking here ").append(millis(begin)).append(" ms");
        begin = System.nanoTime();
        workspace.pull();
        times.append(" and there ").append(millis(begin)).append(" ms");
        begin = System.nanoTime();
        inside("printf x >>src/p7/f9");
        times.append(", one file back ").append(millis(begin)).append(" ms");
        begin = System.nanoTime();
        inside("for f in src/*/*; do echo >>$f; done");
        times.append(", all back ").append(millis(begin)).append(" ms");
        System.out.println(times);
        assertThat(here(LIST)).isEqualTo(inside(LIST));
    }

    private static long millis(long since) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    }
}
