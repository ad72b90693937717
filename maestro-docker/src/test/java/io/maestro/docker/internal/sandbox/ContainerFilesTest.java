package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real containers of a user that is not root; each test has a directory of its own in them. */
@RequiresEngine
class ContainerFilesTest {
    private static final String USER = "1000:1000";
    private static final Map<TestEngine.EngineKind, Fixture> BENCHES = new EnumMap<>(TestEngine.EngineKind.class);

    @TempDir
    Path directory;

    /** An engine with one container. */
    private record Fixture(TestEngine test, Container container) {
        static Fixture of(TestEngine.EngineKind kind) {
            return BENCHES.computeIfAbsent(kind, Fixture::open);
        }

        private static Fixture open(TestEngine.EngineKind kind) {
            TestEngine test = kind.open();
            boolean open = false;
            try {
                Fixture bench = new Fixture(test, start(test.engine, kind));
                open = true;
                return bench;
            } finally {
                if (!open) {
                    test.close();
                }
            }
        }

        static Container start(Engine engine, TestEngine.EngineKind kind) {
            ContainerSpec.Builder spec = ContainerSpec.builder(kind.busybox(), "sandbox");
            return engine.start(
                    "agent", spec.user(USER).tmpfs("/mem", "mode=1777").build());
        }

        ContainerFiles files() {
            return new ContainerFiles(test.engine, container);
        }

        ContainerFiles files(long bytes, int entries) {
            return new ContainerFiles(test.engine, container, bytes, entries);
        }

        /** As the container's user. */
        String sh(String line) {
            ExecResult result = test.engine.cli().run("exec", container.id(), "sh", "-c", line);
            assertThat(result.succeeded())
                    .as("%s: %s", line, result.stderr().text())
                    .isTrue();
            return result.stdout().text().strip();
        }

        /** A new directory that the container's user can write. */
        String fresh() {
            return sh("d=/tmp/" + UUID.randomUUID() + "; mkdir $d; echo $d");
        }
    }

    @AfterAll
    static void close() {
        BENCHES.values().forEach(bench -> bench.test().close());
        BENCHES.clear();
    }

    private static Fixture docker() {
        return Fixture.of(TestEngine.EngineKind.DOCKER);
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void treesComeBackAsTheyWere(TestEngine.EngineKind kind) throws IOException {
        Fixture bench = Fixture.of(kind);
        String there = bench.fresh();
        Random random = new Random(Campaign.seed("trees on " + kind));
        Path source = Files.createDirectory(directory.resolve("source"));
        TreeText.fill(source, random);
        bench.files().copyIn(source, there + "/made/on the way/copy", USER);
        assertThat(bench.files().copyOut(there + "/made/on the way/copy", directory.resolve("back"), false))
                .isEmpty();
        assertThat(TreeText.of(directory.resolve("back"))).isEqualTo(TreeText.of(source));
        assertThat(bench.sh("cd '" + there + "'; stat -c '%u:%g %a' made 'made/on the way'"))
                .isEqualTo("1000:1000 755\n1000:1000 755");
        assertThat(bench.sh("find '" + there + "' ! -user 1000")).isEmpty();
        // The user can change it all.
        bench.sh("cd '" + there + "/made'; find . -type f -exec sh -c 'echo >>\"$1\"' sh {} \\; ; rm -r *");
    }

    @Test
    @Full("docker takes the same way through the code")
    void treesComeBackAsTheyWereOnPodman() throws IOException {
        treesComeBackAsTheyWere(TestEngine.EngineKind.PODMAN);
    }

    @ParameterizedTest
    @EnumSource
    @Full("treesComeBackAsTheyWere and filesAreCopiedAndASnapshotIsRestored copy the same way")
    void aTargetIsAsForDockerCp(TestEngine.EngineKind kind) throws IOException {
        Fixture bench = Fixture.of(kind);
        String there = bench.fresh();
        Path file = file("f", "one");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-xr-x---"));
        bench.files().copyIn(file, there, USER);
        bench.files().copyIn(file, there + "/new", "1001:1002");
        bench.files().copyIn(file, there + "/into/", null);
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("a"), "a");
        bench.files().copyIn(tree, there, USER);
        Files.delete(tree.resolve("a"));
        Files.writeString(tree.resolve("b"), "b");
        bench.files().copyIn(tree, there, USER);
        file("other", "two");
        bench.files().copyIn(directory.resolve("other"), there + "/f", USER);
        assertThat(bench.sh("cd " + there + "; stat -c '%n %u:%g %a' f new into into/f tree/a tree/b"))
                .isEqualTo("f 1000:1000 644\nnew 1001:1002 750\ninto 0:0 755\ninto/f 0:0 750\n"
                        + "tree/a 1000:1000 644\ntree/b 1000:1000 644");
        assertThat(bench.sh("cat " + there + "/f")).isEqualTo("two");
        assertThatThrownBy(() -> bench.files().copyIn(tree, there + "/f", USER))
                .hasMessageContaining("a file is there");
        assertThatThrownBy(() -> bench.files().copyIn(tree, there + "/f/x", USER))
                .hasMessageContaining("no directory");
        assertThatThrownBy(() -> bench.files().copyIn(tree, there + "/f/", USER))
                .hasMessageContaining("no directory");
    }

    @Test
    void whatIsNoFileIsRefusedBeforeAnythingIsCopied() throws Exception {
        Fixture bench = docker();
        String there = bench.fresh();
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("a"), "a");
        Path link = Files.createSymbolicLink(directory.resolve("link"), tree);
        assertThatThrownBy(() -> bench.files().copyIn(link, there + "/x", USER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'link' is a symbolic link");
        assertThat(new ProcessBuilder("mkfifo", tree.resolve("the pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThatThrownBy(() -> bench.files().copyIn(tree, there + "/x", USER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'the pipe' is a pipe");
        assertThatThrownBy(() -> bench.files().copyIn(directory.resolve("none"), there + "/x", USER))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("NoSuchFile");
        assertThat(bench.sh("ls " + there)).isEmpty();
    }

    @Test
    void whatIsTooMuchIsRefusedWithTheFigure() throws IOException {
        Fixture bench = docker();
        String there = bench.fresh();
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("a"), "x".repeat(600));
        Files.writeString(tree.resolve("b"), "x".repeat(600));
        assertThatThrownBy(() -> bench.files(1199, 9).copyIn(tree, there + "/x", USER))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("has 1200 bytes, and at most 1199 bytes");
        assertThatThrownBy(() -> bench.files(1200, 2).copyIn(tree, there + "/x", USER))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("more than 2 entries");
        assertThatThrownBy(() -> bench.files(9, 9).write(Map.of(there + "/x", new byte[10]), USER, 0644))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("1 files with 10 bytes");
        assertThat(bench.sh("ls " + there)).isEmpty();
        bench.files(1200, 3).copyIn(tree, there + "/x", USER);
        assertThat(bench.sh("ls " + there + "/x")).isEqualTo("a\nb");
        assertThatThrownBy(() -> bench.files(1199, 9).copyOut(there + "/x", directory.resolve("y"), false))
                .hasMessageContaining("more than 1199 bytes");
        assertThatThrownBy(() -> bench.files(1200, 2).copyOut(there + "/x", directory.resolve("y"), false))
                .hasMessageContaining("more than 2 entries");
        assertThat(names()).containsExactly("tree");
    }

    @Test
    void noLinkOfTheContainerIsFollowedOnTheWayIn() throws IOException {
        Fixture bench = docker();
        String there = bench.fresh();
        bench.sh("cd " + there + "; mkdir real; ln -s real link; ln -s /etc/passwd file");
        Path file = file("f", "x");
        for (String target : List.of("/link", "/link/", "/link/f", "/link/d/f", "/file")) {
            assertThatThrownBy(() -> bench.files().copyIn(file, there + target, USER))
                    .as(target)
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("is a symbolic link");
        }
        assertThat(bench.sh("ls " + there + "/real")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Full("contentsAreInNoArguments writes texts, too")
    void textsAreWrittenWhereverTheContainerSeesAFile(TestEngine.EngineKind kind) {
        Fixture bench = Fixture.of(kind);
        String there = bench.fresh();
        String odd = "it's \"x\" $(id) `id` \\ * t\u00e4\u4e2d " + "n".repeat(150);
        String text = "<<'EOF'\n$HOME 'q' \"d\" `b` \\n %s\r\n\0\u001e\nEOF\n";
        byte[] large = new byte[1 << 20];
        new Random(1).nextBytes(large);
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put(there + "/a/b/" + odd, text.getBytes(UTF_8));
        files.put("/mem/m-" + UUID.randomUUID() + "/f", text.getBytes(UTF_8));
        files.put(there + "/large", large);
        files.put(there + "/empty", new byte[0]);
        files.put(there + "//./dots", new byte[] {'\n'});
        bench.files().write(files, USER, 0640);
        files.forEach((path, content) -> {
            String quoted = "'" + path.replace("'", "'\\''") + "'";
            assertThat(bench.sh("stat -c '%u:%g %a %s' " + quoted)).isEqualTo("1000:1000 640 " + content.length);
            assertThat(bench.sh("sha1sum <" + quoted + " | cut -c1-40"))
                    .as(path)
                    .isEqualTo(sha1(content));
        });
        assertThat(bench.sh("stat -c '%u:%g %a' " + there + "/a/b")).isEqualTo("1000:1000 755");
        // Another file in its place, not the same one with another content.
        bench.sh("ln " + there + "/empty " + there + "/second");
        bench.files().write(Map.of(there + "/empty", new byte[] {'x'}), USER, 0600);
        assertThat(bench.sh("cd " + there + "; stat -c '%s %a' empty second")).isEqualTo("1 600\n0 640");
        assertThat(bench.sh("ls -A " + there)).isEqualTo("a\ndots\nempty\nlarge\nsecond");
        assertThatThrownBy(() -> bench.files().write(Map.of(there + "/a", new byte[0]), USER, 0600))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("it is a directory");
    }

    private static String sha1(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Full("contentsAreInNoArguments and whatIsThereOnTheHostStays write, too")
    void whereTheOwnerMayNotWriteTheEngineDoes(TestEngine.EngineKind kind) {
        Fixture bench = Fixture.of(kind);
        String root = "/srv-" + UUID.randomUUID();
        bench.files().write(Map.of(root + "/d/f", "one".getBytes(UTF_8)), USER, 0600);
        assertThat(bench.sh("cd " + root + "; stat -c '%u:%g %a' . d d/f; cat d/f"))
                .isEqualTo("1000:1000 755\n1000:1000 755\n1000:1000 600\none");
        assertThatThrownBy(() -> bench.files().write(Map.of("/etc", new byte[0]), USER, 0600))
                .hasMessageContaining("it is a directory");
        bench.sh("ln -s /etc " + root + "/link; mkdir -m 755 /mem" + root);
        if (kind == TestEngine.EngineKind.DOCKER) {
            assertThatThrownBy(() -> bench.files().write(Map.of(root + "/link/f", new byte[0]), USER, 0600))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("is a symbolic link");
            assertThatThrownBy(() -> bench.files().write(Map.of("/mem" + root + "/f", new byte[0]), "1001:1001", 0600))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("user 1001:1001 cannot write it");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relative",
                "",
                "/",
                "/./",
                "/a/../b",
                "/a\nb",
                "/a\u0085",
                "/proc/1/x",
                "//proc/x",
                "/./sys",
                "/dev/shm/x",
                "/\ud800"
            })
    void pathsThatAreNoneAreRefused(String path) throws IOException {
        ContainerFiles files = docker().files();
        Path file = file("f", "x");
        assertThatThrownBy(() -> files.write(Map.of(path, new byte[0]), USER, 0600))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a path in a container must");
        assertThatThrownBy(() -> files.copyIn(file, path, USER)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.copyOut(path, directory.resolve("x"), false))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ownersAndModesThatAreNoneAreRefused() throws IOException {
        ContainerFiles files = docker().files();
        Path file = file("f", "x");
        for (String owner : List.of("root", "1", "1:", "1:2:3", "-1:0", "2097152:1", "0:9999999", "1:1\n")) {
            assertThatThrownBy(() -> files.copyIn(file, "/tmp/x", owner)).hasMessageContaining("uid:gid");
            assertThatThrownBy(() -> files.write(Map.of("/tmp/x", new byte[0]), owner, 0600))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("uid:gid");
        }
        for (int mode : new int[] {-1, 04755, 01777}) {
            assertThatThrownBy(() -> files.write(Map.of("/tmp/x", new byte[0]), USER, mode))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> files.write(Map.of("/tmp/x/", new byte[0]), USER, 0600))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> docker().files(0, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fileSystemsInMemoryAreNotForgotten() throws IOException {
        Fixture bench = docker();
        Path file = file("f", "x");
        assertThatThrownBy(() -> bench.files().copyIn(file, "/mem/d/f", USER)).hasMessageContaining("in memory");
        bench.sh("echo x >/mem/out");
        assertThatThrownBy(() -> bench.files().copyOut("/mem/out", directory.resolve("x"), false))
                .hasMessageContaining("in memory");
        bench.files().copyIn(file, "/memory", USER);
        assertThat(bench.sh("cat /memory")).isEqualTo("x");
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void whatIsThereOnTheHostStays(TestEngine.EngineKind kind) throws IOException {
        Fixture bench = Fixture.of(kind);
        String there = bench.fresh();
        bench.sh("cd " + there + "; echo new >f; mkdir d; echo y >d/g; ln -s f link");
        ContainerFiles files = bench.files();
        Path into = Files.createDirectory(directory.resolve("into"));
        Files.writeString(into.resolve("f"), "old");
        assertThatThrownBy(() -> files.copyOut(there + "/f", into, false)).hasMessageContaining("'f' exists");
        assertThat(into.resolve("f")).hasContent("old");
        files.copyOut(there + "/f", into, true);
        assertThat(into.resolve("f")).hasContent("new");
        files.copyOut(there + "/d", into, false);
        assertThatThrownBy(() -> files.copyOut(there + "/d", into, true)).hasMessageContaining("'d' exists");
        assertThatThrownBy(() -> files.copyOut(there + "/d", into.resolve("f"), true))
                .hasMessageContaining("'f' exists");
        Path link = Files.createSymbolicLink(into.resolve("l"), directory.resolve("elsewhere"));
        assertThatThrownBy(() -> files.copyOut(there + "/f", link, true)).hasMessageContaining("'l' exists");
        files.copyOut(there + "/f", directory.resolve("name"), false);
        assertThat(directory.resolve("name")).hasContent("new");
        assertThatThrownBy(() -> files.copyOut(there + "/none", directory.resolve("n"), false))
                .isInstanceOf(DockerException.class);
        assertThatThrownBy(() -> files.copyOut(there + "/f", directory.resolve("no/n"), false))
                .hasMessageContaining("there is no directory");
        if (kind == TestEngine.EngineKind.DOCKER) {
            assertThatThrownBy(() -> files.copyOut(there + "/link", directory.resolve("n"), false))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("symbolic link");
        }
        assertThat(names()).containsExactly("into", "name");
        assertThat(TreeText.of(into).keySet()).containsExactly(".", "d", "d/g", "f", "l");
    }

    @Test
    @Full("docker takes the same way through the code")
    void whatIsThereOnTheHostStaysOnPodman() throws IOException {
        whatIsThereOnTheHostStays(TestEngine.EngineKind.PODMAN);
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void whatAContainerHasCannotLeadOut(TestEngine.EngineKind kind) throws IOException {
        Fixture bench = Fixture.of(kind);
        String there = bench.fresh();
        bench.sh("mkdir " + there + "/t; cd " + there
                + "/t; mkdir d; ln -s /etc/passwd abs; ln -s ../../../etc/passwd up;"
                + " ln -s ../real d/in; echo x >real; ln real hard; mkfifo pipe; cp real su; chmod 6755 su");
        List<String> leftOut = bench.files().copyOut(there + "/t", directory.resolve("t"), false);
        assertThat(leftOut).containsExactlyInAnyOrder("t/abs", "t/up", "t/pipe");
        Path t = directory.resolve("t");
        assertThat(TreeText.of(t))
                .isEqualTo(Map.of(
                        ".", "directory",
                        "d", "directory",
                        "d/in", "link to ../real",
                        "real", "file x\n",
                        "hard", "file x\n",
                        "su", "program x\n"));
        assertThat((int) Files.getAttribute(t.resolve("su"), "unix:mode") & 07000)
                .isZero();
        assertThat(Files.getAttribute(t.resolve("hard"), "unix:nlink")).isEqualTo(1);
    }

    @Test
    @Full("docker takes the same way through the code")
    void whatAContainerHasCannotLeadOutOnPodman() throws IOException {
        whatAContainerHasCannotLeadOut(TestEngine.EngineKind.PODMAN);
    }

    @Test
    void aBombEndsAndLeavesNothing() throws IOException {
        Fixture bench = docker();
        String there = bench.fresh();
        bench.sh("mkdir " + there + "/t; cd " + there + "/t; echo x >a; truncate -s 100G b");
        assertThatThrownBy(() -> bench.files(1 << 20, 9).copyOut(there + "/t", directory.resolve("t"), false))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("more than 1048576 bytes");
        assertThat(names()).isEmpty();
    }

    @Test
    @Full("a race; whatIsTooMuchIsRefusedWithTheFigure has the limits")
    void whatIsChangedMeanwhileIsCopiedOrSaysSo() throws IOException {
        Fixture bench = docker();
        String there = bench.fresh();
        String t = there + "/t";
        bench.sh("mkdir -p " + t + "/real " + there + "/out; cd " + t + "; echo x >real/f; echo x >../out/f;"
                + " ln -s " + there + "/out other; touch grows; (while [ -d " + t
                + " ]; do mv real keep; mv other real;"
                + " mv real other; mv keep real; echo more >>grows; done) >/dev/null 2>&1 &");
        int good = 0;
        for (int i = 0; i < 6; i++) {
            Path copy = directory.resolve("t" + i);
            try {
                bench.files().copyOut(t, copy, false);
                good++;
                for (String entry : TreeText.of(copy).values()) {
                    assertThat(entry)
                            .satisfiesAnyOf(
                                    text -> assertThat(text).isEqualTo("directory"),
                                    text -> assertThat(text).matches("file (x\n|(more\n)*(m|mo|mor|more)?)"));
                }
            } catch (DockerException e) {
                assertThat(e).hasMessageMatching("(?s).*(in the middle|in no directory|No such container:path).*");
                assertThat(Files.exists(copy, LinkOption.NOFOLLOW_LINKS)).isFalse();
            }
        }
        bench.sh("while [ -d " + t + " ]; do rm -rf " + t + "; done 2>/dev/null");
        assertThat(names()).hasSize(good);
    }

    /** An engine that was taken over could send anything. */
    @Test
    void whatNoEngineSendsLeavesNothing() throws IOException {
        Fixture bench = docker();
        byte[] tar = new HostileTar()
                .directory("t")
                .file("t/f", "x")
                .link("t/l", "../outside")
                .file("t/l/f", "x")
                .whole();
        Files.write(directory.resolve("archive"), tar);
        Path client = directory.resolve("docker");
        Files.writeString(
                client,
                "#!/bin/sh\nfor a; do [ \"$a\" != cp ] || exec cat '" + directory
                        + "/archive'; done\nexec docker \"$@\"\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
        Engine engine = engine(client);
        assertThatThrownBy(() ->
                        new ContainerFiles(engine, bench.container()).copyOut("/tmp/t", directory.resolve("t"), false))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("in no directory");
        assertThat(names()).containsExactly("archive", "docker");
    }

    private static Engine engine(Path client) {
        DockerHost host = DockerHost.builder().program(client.toString()).build();
        return new Engine(new DockerCli(host), docker().test().engine.instance());
    }

    @Test
    void contentsAreInNoArguments() throws IOException {
        Fixture bench = docker();
        String there = bench.fresh();
        Path log = directory.resolve("log");
        Path client = directory.resolve("docker");
        Files.writeString(client, "#!/bin/sh\necho \"$@\" >>'" + log + "'\nexec docker \"$@\"\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
        ContainerFiles files = new ContainerFiles(engine(client), bench.container());
        files.write(Map.of(there + "/small", "SECRET".getBytes(UTF_8)), USER, 0600);
        files.write(Map.of(there + "/large", "SECRET".repeat(10_000).getBytes(UTF_8)), USER, 0600);
        files.write(Map.of("/root-" + UUID.randomUUID(), "SECRET".getBytes(UTF_8)), USER, 0600);
        files.copyIn(file("f", "SECRET"), there, USER);
        assertThat(bench.sh("cat " + there + "/small")).isEqualTo("SECRET");
        assertThat(log).content().contains("exec -i", "cp -").doesNotContain("SECRET");
    }

    @Test
    void onlyRunningContainersOfTheInstanceAreTouched() throws IOException {
        Fixture bench = docker();
        Path file = file("f", "x");
        try (TestEngine other = TestEngine.EngineKind.DOCKER.open()) {
            Container container = Fixture.start(other.engine, TestEngine.EngineKind.DOCKER);
            refuses(new ContainerFiles(bench.test().engine, container), file, "was not made by this instance");
            ContainerFiles files = new ContainerFiles(other.engine, container);
            files.copyIn(file, "/f", USER);
            other.engine.stop(container);
            refuses(files, file, "does not run");
            other.engine.remove(container);
            refuses(files, file, "is gone");
        }
        assertThat(names()).containsExactly("f");
    }

    private void refuses(ContainerFiles files, Path file, String why) {
        assertThatThrownBy(() -> files.copyIn(file, "/x", USER))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> files.write(Map.of("/tmp/x", new byte[0]), USER, 0600))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> files.copyOut("/bin/sh", directory.resolve("x"), false))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining(why);
    }
}
