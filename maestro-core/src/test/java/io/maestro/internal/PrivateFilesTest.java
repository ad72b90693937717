package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateFilesTest {
    private static final int STRANGER = 4321;

    @TempDir
    Path directory;

    private Path made(String name, int mode) throws IOException {
        Path made = Files.createDirectory(directory.resolve(name));
        Files.setAttribute(made, "unix:mode", mode);
        return made;
    }

    private static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    private static void giveAway(Path path) throws IOException {
        assumeTrue(
                Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(0),
                "only root gives files away");
        Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void allThatIsMissingIsMadeClosedAndAllThatIsThereKeepsItsMode() throws IOException {
        for (int mode : new int[] {0700, 0755, 02775, 01777, 0777}) {
            Path there = made("d" + mode, mode);
            Path own = PrivateFiles.makeOwn(there.resolve("a/b/own"));
            PrivateFiles.makeMissing(there.resolve("c/d"));
            PrivateFiles.makeFile(own.resolve("file"));

            assertThat(mode(there)).isEqualTo(mode);
            for (String below : new String[] {"a", "a/b", "a/b/own", "c", "c/d"}) {
                assertThat(mode(there.resolve(below)) & 0777).as(below).isEqualTo(0700);
            }
            assertThat(mode(own.resolve("file"))).isEqualTo(0600);
        }
    }

    @Test
    void aSecondTimeChangesNothing() throws IOException {
        Path own = made("own", 0755);
        Path file = Files.writeString(own.resolve("file"), "text");
        Files.setAttribute(file, "unix:mode", 0644);

        PrivateFiles.makeOwn(own);
        PrivateFiles.makeMissing(own);
        PrivateFiles.makeFile(file);

        assertThat(mode(own)).isEqualTo(0755);
        assertThat(mode(file)).isEqualTo(0644);
        assertThat(file).hasContent("text");
    }

    @Test
    void aLinkIsNotFollowedWhereverItLeads() throws IOException {
        for (String target : new String[] {"nowhere", "nowhere/file"}) {
            Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of(target));
            assertThatThrownBy(() -> PrivateFiles.makeFile(link))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith(link + " is a symbolic link");
            Files.delete(link);
        }
        for (String target : new String[] {"nowhere", ".", made("other", 0755).toString()}) {
            Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of(target));
            assertThatThrownBy(() -> PrivateFiles.makeOwn(link))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith(link + " is a symbolic link");
            Files.delete(link);
        }
        assertThat(directory.resolve("nowhere")).doesNotExist();
    }

    @Test
    void aFileAndADirectoryThatAllMayWriteToAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> PrivateFiles.makeOwn(file)).isInstanceOf(FileAlreadyExistsException.class);
        for (int mode : new int[] {0777, 01777, 0702}) {
            Path open = made("open" + mode, mode);
            assertThatThrownBy(() -> PrivateFiles.makeOwn(open))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("chmod o-w " + open);
            assertThat(mode(open)).isEqualTo(mode);
        }
    }

    @Test
    void anotherUsersDirectoryIsRefused() throws IOException {
        Path theirs = made("theirs", 0755);
        giveAway(theirs);
        assertThatThrownBy(() -> PrivateFiles.makeOwn(theirs))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith(theirs + " belongs to the user " + STRANGER);
    }

    @Test
    void whatIsObeyedIsARegularFileOfThisUserOrRoot() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "ü");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        for (int mode : new int[] {0600, 0644, 0664}) {
            Files.setAttribute(file, "unix:mode", mode);
            assertThat(PrivateFiles.readTrusted(file, 2)).isEqualTo("ü");
            assertThat(PrivateFiles.readTrusted(link, 2)).isEqualTo("ü");
        }
        isNotRead(file, 1, "is larger than 1 bytes");
        Files.setAttribute(file, "unix:mode", 0666);
        isNotRead(file, 2, "chmod o-w");
        isNotRead(link, 2, "chmod o-w");
        Files.setAttribute(file, "unix:mode", 0644);
        isNotRead(directory, 2, "is no regular file");
        isNotRead(Path.of("/dev/zero"), 2, "is no regular file");
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        isNotRead(pipe, 2, "is no regular file");

        giveAway(file);
        isNotRead(file, 2, "belongs to the user " + STRANGER);
        isNotRead(link, 2, "belongs to the user " + STRANGER);
    }

    private static void isNotRead(Path file, int most, String why) {
        assertThatThrownBy(() -> PrivateFiles.readTrusted(file, most))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(why);
    }

    @Test
    void anotherUsersLinkToAFileOfThisUserIsNotRead() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        giveAway(link);
        isNotRead(link, 1, "belongs to the user " + STRANGER);
    }

    @ParameterizedTest
    @ValueSource(ints = {01777, 0777, 02775, 0775})
    void onAPathCountsOnlyWhatThisUserOrRootHasMadeWhereOthersMayWrite(int mode) throws IOException {
        Path all = made("all", mode);
        Path own = Files.createDirectory(all.resolve("own"));
        Path theirs = Files.createDirectory(all.resolve("theirs"));
        Path link = Files.createSymbolicLink(all.resolve("link"), own);
        Path inOwn = Files.createDirectory(own.resolve("theirs"));
        PrivateFiles.requireTrusted(theirs.resolve("not/there"));
        PrivateFiles.requireTrusted(all.resolve("not/there"));
        for (Path given : new Path[] {theirs, link, inOwn}) {
            giveAway(given);
        }

        // Given away by its owner, where nobody else may write.
        PrivateFiles.requireTrusted(inOwn);
        for (Path path : new Path[] {theirs, theirs.resolve("a/b"), link, link.resolve("a")}) {
            assertThatThrownBy(() -> PrivateFiles.requireTrusted(path))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("was made by the user " + STRANGER + " in " + all);
        }
        giveAway(all);
        // Their directory, and their right.
        PrivateFiles.requireTrusted(theirs);
    }
}
