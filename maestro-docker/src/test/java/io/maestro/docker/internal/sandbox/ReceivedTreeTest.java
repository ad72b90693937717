package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.workspace.TarWriter;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import io.maestro.testing.Campaign;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Archives that no engine makes, and one that could. */
class ReceivedTreeTest {
    private static final CopyLimits LIMITS = new CopyLimits(1000, 20);

    @TempDir
    Path directory;

    private Path inside;
    private Path content;

    @BeforeEach
    void prepare() throws IOException {
        inside = Files.createDirectory(directory.resolve("inside"));
        content = inside.resolve(ReceivedTree.CONTENT);
        Files.createDirectory(directory.resolve("outside"));
        Files.writeString(directory.resolve("outside/secret"), "kept");
    }

    private List<String> receive(byte[] archive) throws IOException {
        return receive(archive, LIMITS);
    }

    private List<String> receive(byte[] archive, CopyLimits limits) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(inside)) {
            ReceivedTree tree = new ReceivedTree(inside, root, limits);
            tree.receive(new ByteArrayInputStream(archive));
            return tree.leftOut();
        }
    }

    private static HostileTar tar() {
        return new HostileTar();
    }

    private static Stream<Arguments> refused() {
        String no = "no path that stays inside";
        return Stream.of(
                argumentSet("up", tar().directory("a").file("a/../../outside/new", "x"), no),
                argumentSet("only up", tar().directory(".."), no),
                argumentSet("absolute", tar().file("/outside", "x"), no),
                argumentSet("empty", tar().file("", "x"), no),
                argumentSet("empty part", tar().directory("a").file("a//b", "x"), no),
                argumentSet(
                        "long part",
                        tar().directory("a")
                                .record("path", "a/" + "x".repeat(256))
                                .file("b", "x"),
                        no),
                argumentSet("NUL", tar().directory("a").record("path", "a/x\0y").file("b", "x"), no),
                argumentSet(
                        "up in a long name",
                        tar().directory("a").record("path", "a/../../x").file("b", "x"),
                        no),
                argumentSet("beside", tar().directory("a").file("b", "x"), "not below 'a'"),
                argumentSet("begins inside", tar().file("a/b", "x"), "no single name"),
                argumentSet("begins with a link", tar().link("a", "/etc"), "symbolic link"),
                argumentSet("begins with a pipe", tar().entry('6', "a", "", 0644, 0, new byte[0]), "neither"),
                argumentSet("in nothing", tar().directory("a").file("a/b/c", "x"), "in no directory"),
                argumentSet("in a file", tar().directory("a").file("a/b", "x").file("a/b/c", "x"), "in no directory"),
                argumentSet(
                        "through a link out",
                        tar().directory("a").link("a/l", "../../outside").file("a/l/secret", "x"),
                        "in no directory"),
                argumentSet(
                        "through a link that stays",
                        tar().directory("a").directory("a/d").link("a/l", "d").file("a/l/f", "x"),
                        "in no directory"),
                argumentSet(
                        "a directory becomes a link",
                        tar().directory("a").directory("a/d").link("a/d", "e").file("a/d/f", "x"),
                        "is there twice"),
                argumentSet("over a link", tar().directory("a").link("a/l", "x").file("a/l", "y"), "is there twice"),
                argumentSet("over the first", tar().directory("a").link("a", "x"), "is there twice"),
                argumentSet("over a file", tar().directory("a").file("a/f", "x").file("a/f", "y"), "is there twice"),
                argumentSet(
                        "a directory over a link",
                        tar().directory("a").link("a/l", "x").directory("a/l"),
                        "twice"),
                argumentSet(
                        "a hard link out",
                        tar().directory("a").hardLink("a/h", "../outside/secret"),
                        "no path that stays inside"),
                argumentSet(
                        "an absolute hard link", tar().directory("a").hardLink("a/h", "/etc/passwd"), "stays inside"),
                argumentSet("a hard link to nothing", tar().directory("a").hardLink("a/h", "a/x"), "no file that came"),
                argumentSet("a hard link to itself", tar().directory("a").hardLink("a/h", "a/h"), "no file that came"),
                argumentSet(
                        "a hard link to a link",
                        tar().directory("a").link("a/l", "x").hardLink("a/h", "a/l"),
                        "no file that came"),
                argumentSet(
                        "a hard link through a link",
                        tar().directory("a")
                                .directory("a/d")
                                .file("a/d/f", "x")
                                .link("a/l", "d")
                                .hardLink("a/h", "a/l/f"),
                        "no file that came"),
                argumentSet(
                        "one large file", tar().entry('0', "a", "", 0644, 1001, new byte[0]), "more than 1000 bytes"),
                argumentSet(
                        "a large file by its record",
                        tar().record("size", "99999999999").file("a", "x"),
                        "more than 1000 bytes"),
                argumentSet(
                        "files together",
                        tar().directory("a").file("a/1", "x".repeat(600)).file("a/2", "x".repeat(600)),
                        "more than 1000 bytes"),
                argumentSet(
                        "hard links together",
                        tar().directory("a").file("a/1", "x".repeat(600)).hardLink("a/2", "a/1"),
                        "more than 1000 bytes"),
                argumentSet("many", many(), "more than 20 entries"),
                argumentSet(
                        "deep",
                        tar().directory("a")
                                .record("path", "a" + "/b".repeat(200))
                                .file("b", ""),
                        "200"));
    }

    private static HostileTar many() {
        HostileTar tar = tar().directory("a");
        for (int i = 0; i < 20; i++) {
            tar.link("a/" + i, "/out");
        }
        return tar;
    }

    @ParameterizedTest
    @MethodSource
    void refused(HostileTar tar, String why) throws IOException {
        assertThatThrownBy(() -> receive(tar.whole()))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining(why);
        assertThat(TreeText.of(directory.resolve("outside")))
                .isEqualTo(Map.of(".", "directory", "secret", "file kept"));
    }

    private static Stream<Arguments> damaged() {
        byte[] sum = tar().file("a", "x").whole();
        sum[0]++;
        return Stream.of(
                argumentSet("nothing", new byte[0], "in the middle"),
                argumentSet("no entry", tar().whole(), "is empty"),
                argumentSet("no end", tar().directory("a").file("a/f", "x").cut(), "in the middle"),
                argumentSet(
                        "half a file",
                        tar().entry('0', "a", "", 0644, 900, new byte[512]).cut(),
                        "in the middle"),
                argumentSet("a sum", sum, "sum of a header"),
                argumentSet(
                        "an unknown kind",
                        tar().directory("a")
                                .entry('S', "a/s", "", 0644, 0, new byte[0])
                                .whole(),
                        "unknown kind"),
                argumentSet(
                        "a link with content",
                        tar().directory("a")
                                .entry('2', "a/s", "x", 0644, 5, new byte[5])
                                .whole(),
                        "cannot have 5 bytes"),
                argumentSet(
                        "a large header",
                        tar().entry('L', "a", "", 0644, 2 << 20, new byte[0]).whole(),
                        "a header of the archive has"),
                argumentSet("headers only", headers(), "too many headers"),
                argumentSet("no size", tar().record("size", "-1").file("a", "x").whole(), "no size"),
                argumentSet(
                        "holes",
                        tar().record("GNU.sparse.size", "9").file("a", "x").whole(),
                        "holes"),
                argumentSet(
                        "a record that is too long",
                        tar().entry('x', "a", "", 0644, 9, "99 path=b".getBytes(StandardCharsets.US_ASCII))
                                .whole(),
                        "no length"),
                argumentSet(
                        "a record without a length",
                        tar().entry('x', "a", "", 0644, 6, "path=b".getBytes(StandardCharsets.US_ASCII))
                                .whole(),
                        "no length"),
                argumentSet(
                        "a record without a value",
                        tar().entry('x', "a", "", 0644, 7, "7 path\n".getBytes(StandardCharsets.US_ASCII))
                                .whole(),
                        "without a value"));
    }

    private static byte[] headers() {
        HostileTar tar = tar();
        for (int i = 0; i < 20; i++) {
            tar.record("comment", "x");
        }
        return tar.file("a", "x").whole();
    }

    @ParameterizedTest
    @MethodSource
    void damaged(byte[] archive, String why) {
        assertThatThrownBy(() -> receive(archive))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    @Test
    void linksThatLeadOutAreLeftOutAndOthersStay() throws IOException {
        HostileTar tar = tar().directory("a").directory("a/d").directory("a/d/e");
        tar.link("a/absolute", "/etc/passwd").link("a/up", "../x").link("a/d/up", "../../outside/secret");
        // By a name that leads up itself: d/back is a, so its parent is not inside.
        tar.link("a/d/back", "..").link("a/chain", "d/back/../outside");
        tar.link("a/d/e/top", "../..").link("a/d/e/trick", "top/../outside/secret");
        tar.link("a/d/e/good", "../../d/e/./x").link("a/d/here", ".").link("a/dangling", "nothing");
        tar.entry('3', "a/null", "", 0666, 0, new byte[0]).entry('6', "a/pipe", "", 0666, 0, new byte[0]);
        assertThat(receive(tar.whole()))
                .containsExactly("a/absolute", "a/up", "a/d/up", "a/chain", "a/d/e/trick", "a/null", "a/pipe");
        assertThat(TreeText.of(content))
                .isEqualTo(Map.of(
                        ".", "directory",
                        "d", "directory",
                        "d/e", "directory",
                        "d/back", "link to ..",
                        "d/e/top", "link to ../..",
                        "d/e/good", "link to ../../d/e/./x",
                        "d/here", "link to .",
                        "dangling", "link to nothing"));
        try (Stream<Path> left = Files.list(inside)) {
            assertThat(left).containsExactly(content);
        }
    }

    @Test
    void permissionsAreKeptWithoutThoseToRunAsAnother() throws IOException {
        HostileTar tar = tar().directory("a")
                .file("a/su", 06755, "x")
                .file("a/none", 0, "y")
                .file("a/key", 0600, "z");
        receive(tar.hardLink("a/again", "a/su").whole());
        assertThat(mode("su")).isEqualTo("rwxr-xr-x");
        assertThat(mode("none")).isEqualTo("rw-------");
        assertThat(mode("key")).isEqualTo("rw-------");
        assertThat((int) Files.getAttribute(content.resolve("su"), "unix:mode") & 07000)
                .isZero();
        assertThat(content.resolve("again")).hasContent("x");
        assertThat(Files.getAttribute(content.resolve("again"), "unix:nlink")).isEqualTo(1);
    }

    private String mode(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(content.resolve(name)));
    }

    @Test
    void namesOfAllFormsAreRead() throws IOException {
        HostileTar tar = tar().directory("./a/");
        byte[] longName = ("a/" + "l".repeat(120) + "\0").getBytes(StandardCharsets.US_ASCII);
        tar.entry('L', "x", "", 0644, longName.length, longName).file("cut", "gnu");
        tar.record("path", "a/with\nbreak").record("mtime", "1.5").file("cut", "posix");
        tar.entry('g', "x", "", 0644, 8, "8 x=abc\n".getBytes(StandardCharsets.US_ASCII))
                .file("a/plain", "all");
        receive(tar.whole());
        assertThat(TreeText.of(content))
                .isEqualTo(Map.of(
                        ".",
                        "directory",
                        "l".repeat(120),
                        "file gnu",
                        "with\nbreak",
                        "file posix",
                        "plain",
                        "file all"));
    }

    /** Without an engine: whoever writes and whoever reads agree. */
    @Test
    void whatIsSentIsReceived() throws IOException {
        Random random = new Random(Campaign.seed("trees"));
        Path source = Files.createDirectory(directory.resolve("source"));
        TreeText.fill(source, random);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SourceTree tree = new SourceTree(source, CopyLimits.DEFAULT);
        tree.check();
        try (TarWriter tar = new TarWriter(bytes, "", 1000, 1000)) {
            tree.write(tar, RawName.ofText("t\u00e4"));
        }
        assertThat(receive(bytes.toByteArray(), CopyLimits.DEFAULT)).isEmpty();
        assertThat(TreeText.of(content)).isEqualTo(TreeText.of(source));
        assertThat(Files.exists(content, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void aFileThatBecomesShorterIsNoticed() throws IOException {
        assertThatThrownBy(() -> receive(tar().directory("a")
                        .entry('0', "a/f", "", 0644, 700, new byte[100])
                        .cut()))
                .isInstanceOf(EOFException.class);
    }
}
