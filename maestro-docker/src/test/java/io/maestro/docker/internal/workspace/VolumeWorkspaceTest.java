package io.maestro.docker.internal.workspace;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.DockerHost;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * On a real engine that does not see this machine's files; in the short tier, which need not wait for a second one, on the first:
 * a volume takes the same way there.
 */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class VolumeWorkspaceTest {
    private static final String OWNER = "1000:1000";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @RegisterExtension
    static final Extension SECOND = Campaign.isFull() ? new SecondEngine(GitImage.NAME) : new Extension() {};

    @TempDir
    static Path seen;

    private final Engine engine = new Engine(
            new DockerCli(SECOND instanceof SecondEngine second ? second.host() : DockerHost.local()),
            new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent/project")));
    private final Path project = (SECOND instanceof SecondEngine second ? second.unseen() : seen)
            .resolve(UUID.randomUUID().toString());
    private final Path directory = project.resolve("coder-001");
    private VolumeWorkspace workspace;
    private Container container;
    private DockerExecutor commands;
    private Executor executor;

    @BeforeAll
    static void buildImage() throws Exception {
        GitImage.require();
    }

    @BeforeEach
    void prepare() throws Exception {
        Files.createDirectories(directory);
        workspace = workspace(VolumeWorkspace.DEFAULT_LIMIT);
    }

    private VolumeWorkspace workspace(long limit) {
        return new VolumeWorkspace(
                engine, GitImage.NAME, "coder-001", OWNER, directory, project.resolve(".maestro/sync"), limit);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (commands != null) {
            commands.close();
            engine.remove(container);
        }
        workspace.close();
        assertThat(engine.containers()).isEmpty();
        assertThat(engine.volumes()).isEmpty();
        if (Files.exists(project.resolve(".maestro/sync"))) {
            assertThat(project.resolve(".maestro/sync")).isEmptyDirectory();
        }
    }

    /** Starts the agent's container, whose files are all those of the workspace. */
    private void open() {
        container = engine.start(
                "coder-001",
                ContainerSpec.builder(GitImage.NAME, "coding")
                        .mount(workspace.mount(false))
                        .user(OWNER)
                        .workingDirectory("/workspace")
                        .environment("HOME", "/tmp")
                        .limits(ContainerLimits.CODING)
                        .build());
        commands = DockerExecutor.builder(engine.cli().host(), container.id())
                .workingDirectory("/workspace")
                .build();
        executor = workspace.around(commands, false);
    }

    private String inside(String line) {
        return output(executor, line);
    }

    private String here(String line) {
        return output(LocalExecutor.builder(directory).build(), line);
    }

    private static String output(Executor executor, String line) {
        ExecResult result = executor.run(
                ExecRequest.shell(line).timeLimit(LIMIT).outputLimit(16 << 20).build());
        assertThat(result.succeeded()).as("%s: %s", line, result.stderr()).isTrue();
        return result.stdout().text();
    }

    private static final String STRANGE = "printf a >'with space'; printf b >\"$(printf 'new\\nline')\";"
            + " printf c >\"$(printf 'gr\\303\\274n')\"; printf d >\"$(printf 'not\\377utf8')\"; printf e >'-rf';"
            + " mkdir -p 'd 1/*'; printf f >'d 1/*/['; printf 'g\\0\\1\\r\\n' >binary;"
            + " printf h >'quo\"te'; printf i >'back\\slash'; printf j >:colon; printf k >'tab\there';"
            + " long=$(printf 'x%.0s' $(seq 120)); mkdir -p $long/$long; printf l >$long/$long/$long;"
            + " ln -s $long/$long/$long longlink; ln -s ../../etc/passwd out; ln -s 'with space' \"in\";"
            + " printf '#!/bin/sh\\necho ran\\n' >run.sh; chmod 755 run.sh; : >empty;";

    private static final String LIST = "find . -name .git -prune -o ! -type d -printf '%P|%y|%l|' -a"
            + " \\( -type l -printf 'link\\0' -o -perm -u+x -printf 'x\\0' -o -printf -- '-\\0' \\) | sort -z;"
            + " find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum";

    @Test
    @Full("a volume more; whatChangesHereGoesThereBeforeTheNextCommand copies the same way")
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
    @Tag("more-in-full")
    void whatACommandMakesComesBack() {
        here("printf old >keep; printf old >change; printf old >remove; mkdir -p gone/deep; printf x >gone/deep/file;"
                + " printf '#!/bin/sh\\n' >script; printf f >turns; mkdir other; printf g >other/turns");
        open();
        inside("rm remove; rm -r gone; printf new >change; chmod +x script; rm turns; mkdir turns; printf 1 >turns/in;"
                + " rm -r other; ln -s /etc other; " + STRANGE);

        assertThat(here(LIST)).isEqualTo(inside(LIST));
        assertThat(here("ls")).contains("change").doesNotContain("remove").doesNotContain("gone");
        assertThat(here("cat turns/in; readlink other; ls -l script | cut -c1-4"))
                .isEqualTo("1/etc\n-rwx\n");

        inside("rm -f -- * 2>/dev/null; rm other; mkdir other; printf h >other/passwd; mv keep moved 2>/dev/null || :;"
                + " printf n >moved");
        assertThat(here(LIST)).isEqualTo(inside(LIST));
        assertThat(here("cat other/passwd moved")).isEqualTo("hn");
    }

    @Test
    @Full("a volume more; whatACommandMakesComesBack takes the same way")
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
    void whatChangesHereGoesThereBeforeTheNextCommand() {
        here("mkdir -p a/b; printf 1 >a/b/one; printf 2 >two; printf same >three; printf 4 >four; printf k >keep");
        open();
        inside("printf t >there; ls >/dev/null");
        here(
                "rm -r a two; printf SAME >three; mkdir -p new/dir; printf n >new/dir/file; rm four; mkdir four;"
                        + " printf 5 >four/five; printf '*.tmp\\n' >.gitignore; printf i >x.tmp; ln -s keep link; chmod +x keep");

        assertThat(inside("cat three new/dir/file four/five x.tmp link there; ls -A; ls -l keep | cut -c1-4"))
                .isEqualTo("SAMEn5ikt.gitignore\nfour\nkeep\nlink\nnew\nthere\nthree\nx.tmp\n-rwx\n");
        // The same size, in the same moment.
        for (int i = 0; i < 5; i++) {
            here("printf " + i + "abc >three");
            assertThat(inside("cat three")).isEqualTo(i + "abc");
        }
    }

    @Full("a volume more; nothingOfAHostileRepositoryRuns has the agent's repository and ours")
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
    void nothingOfAHostileRepositoryRuns() throws Exception {
        Path witness = project.resolve("witness");
        here("git init -q .; printf x >file");
        open();
        String evil = "touch " + witness + " /tmp/maestro-evil /workspace/evil-ran 2>/dev/null; cat";
        inside("git config core.fsmonitor '" + evil + "'; git config filter.evil.clean '" + evil + "';"
                + " git config filter.evil.smudge '" + evil + "'; git config filter.evil.process '" + evil + "';"
                + " git config core.hooksPath hooks; git config core.worktree /; git config include.path ../included;"
                + " git config core.sshCommand '" + evil + "'; git config core.excludesFile /etc/passwd;"
                + " printf '[core]\\n\\tfsmonitor = " + evil.replace("'", "") + "\\n' >included;"
                + " mkdir -p hooks; for h in pre-commit post-index-change reference-transaction post-commit; do"
                + " printf '#!/bin/sh\\n" + evil.replace("cat", "exit 0") + "\\n' >hooks/$h; chmod +x hooks/$h; done;"
                + " cp hooks/* .git/hooks/ 2>/dev/null || mkdir -p .git/hooks;"
                + " printf '* filter=evil text eol=crlf ident\\n' >.gitattributes; printf '$Id$\\r\\n' >crlf;"
                + " mkdir -p .git/info; printf '* filter=evil\\n' >.git/info/attributes; printf 'hidden\\n' >.git/info/exclude;"
                + " printf h >hidden; printf y >file");
        inside("printf z >file");

        assertThat(here("cat file hidden; od -An -c crlf | tr -d ' '")).isEqualTo("zh$Id$\\r\\n\n");
        assertThat(witness).doesNotExist();
        assertThat(directory.resolve("evil-ran")).doesNotExist();
        Container helper = engine.containers().stream()
                .filter(one -> one.role().equals("workspace"))
                .findFirst()
                .orElseThrow();
        assertThat(engine.cli()
                        .run("exec", helper.id(), "ls", "/tmp/maestro-evil")
                        .succeeded())
                .isFalse();
    }

    @Test
    void nothingIsWrittenThroughLinks() throws Exception {
        Path outside = Files.createDirectory(project.resolve("outside"));
        Files.writeString(outside.resolve("file"), "untouched");
        here("mkdir d; printf x >d/file; printf x >plain");
        open();
        inside("printf 1 >d/file");
        // An agent on this machine would have to win a race for it; here the link is simply there.
        here("rm -r d plain; ln -s ../outside d; ln -s ../outside/file plain");
        commands.run(ExecRequest.shell("printf evil >d/file; printf evil >d/new; printf evil >plain")
                .build());
        try {
            workspace.pull();
        } catch (RuntimeException e) {
            // It may be refused; it must not be done.
        }
        assertThat(Files.readString(outside.resolve("file"))).isEqualTo("untouched");
        assertThat(outside.resolve("new")).doesNotExist();

        inside("rm -rf d plain; ln -s " + outside + " d; ln -s " + outside.resolve("file") + " plain");
        assertThat(here("readlink d plain")).isEqualTo(outside + "\n" + outside.resolve("file") + "\n");
        inside("rm d plain; mkdir d; printf 2 >d/file; printf 3 >d/new; printf 4 >plain");
        assertThat(here("cat d/file d/new plain")).isEqualTo("234");
        assertThat(Files.readString(outside.resolve("file"))).isEqualTo("untouched");
        assertThat(outside.resolve("new")).doesNotExist();
    }

    @Test
    @Full("a volume more; nothingIsWrittenThroughLinks has the other way")
    void aLinkThereIsReplacedAndNotFollowed() {
        here("mkdir d other; printf x >d/file; printf x >other/file");
        open();
        // Behind the back of the workspace: both sides change the same.
        commands.run(ExecRequest.shell("rm -r d; ln -s other d").build());
        here("printf new >d/file; printf newer >d/second");

        assertThat(inside("cat other/file; ls other")).isEqualTo("xfile\n");
    }

    @Full("a size; moreThanTheLimitIsRefusedAndNothingIsLost copies the same way")
    @Test
    void largeFilesTravelBothWays() {
        here("head -c 50000000 /dev/urandom >there");
        open();
        String sum = inside("head -c 50000000 /dev/urandom >back; sha256sum there back");

        assertThat(here("sha256sum there back")).isEqualTo(sum);
    }

    @Full("a size; commandsInParallelLoseNothing looks for losses")
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
    @Full("whatACommandMakesComesBack has one command")
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
    @Full("whatACommandMakesComesBack has the way back")
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
    @Full("whatACommandMakesComesBack has the way back")
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

    @Full("a volume more; whatChangesHereGoesThereBeforeTheNextCommand sends")
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
    @Full("whatACommandHasChangedComesBackAlthoughTheContainerBesideTheVolumeHasEnded needs the same new container")
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
    @Full("a container more")
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

    @Full("a helper that is killed twice")
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

    @Full("a volume more; whatACommandMakesComesBack copies the same way")
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

    @Full("a size; the same way as whatACommandMakesComesBack")
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
