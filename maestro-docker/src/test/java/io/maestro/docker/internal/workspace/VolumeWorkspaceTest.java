package io.maestro.docker.internal.workspace;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * On this machine's engine: a volume takes the same way there as on one that does not see this machine's files, which
 * {@link VolumeWorkspaceOnSecondEngineTest} has.
 */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class VolumeWorkspaceTest {
    private static final String OWNER = "1000:1000";
    static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    Path temporary;

    Engine engine;
    private Path project;
    Path directory;
    VolumeWorkspace workspace;
    private Container container;
    DockerExecutor commands;
    Executor executor;

    @BeforeAll
    static void buildImage() throws Exception {
        GitImage.require();
    }

    DockerHost host() {
        return DockerHost.local();
    }

    /** Where the projects of the tests are. */
    Path projects() {
        return temporary;
    }

    @BeforeEach
    void prepare() throws Exception {
        Instance instance = new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent/project"));
        engine = new Engine(new DockerCli(host()), instance);
        project = projects().resolve(UUID.randomUUID().toString());
        directory = project.resolve("coder-001");
        Files.createDirectories(directory);
        workspace = workspace(VolumeWorkspace.DEFAULT_LIMIT);
    }

    VolumeWorkspace workspace(long limit) {
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
    void open() {
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

    String inside(String line) {
        return output(executor, line);
    }

    String here(String line) {
        return output(LocalExecutor.builder(directory).build(), line);
    }

    private static String output(Executor executor, String line) {
        ExecResult result = executor.run(
                ExecRequest.shell(line).timeLimit(LIMIT).outputLimit(16 << 20).build());
        assertThat(result.succeeded()).as("%s: %s", line, result.stderr()).isTrue();
        return result.stdout().text();
    }

    static final String STRANGE = "printf a >'with space'; printf b >\"$(printf 'new\\nline')\";"
            + " printf c >\"$(printf 'gr\\303\\274n')\"; printf d >\"$(printf 'not\\377utf8')\"; printf e >'-rf';"
            + " mkdir -p 'd 1/*'; printf f >'d 1/*/['; printf 'g\\0\\1\\r\\n' >binary;"
            + " printf h >'quo\"te'; printf i >'back\\slash'; printf j >:colon; printf k >'tab\there';"
            + " long=$(printf 'x%.0s' $(seq 120)); mkdir -p $long/$long; printf l >$long/$long/$long;"
            + " ln -s $long/$long/$long longlink; ln -s ../../etc/passwd out; ln -s 'with space' \"in\";"
            + " printf '#!/bin/sh\\necho ran\\n' >run.sh; chmod 755 run.sh; : >empty;";

    static final String LIST = "find . -name .git -prune -o ! -type d -printf '%P|%y|%l|' -a"
            + " \\( -type l -printf 'link\\0' -o -perm -u+x -printf 'x\\0' -o -printf -- '-\\0' \\) | sort -z;"
            + " find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum";

    @Test
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
}
