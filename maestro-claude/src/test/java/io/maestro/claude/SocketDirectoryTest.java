package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketDirectoryTest {
    @TempDir
    private Path temp;

    private Path shortOne() {
        return temp.resolve("run").resolve("coder-1");
    }

    private Path longOne() {
        return temp.resolve("d".repeat(120)).resolve("coder-1");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void othersCannotComeInButWhoeverGetsItMountedCan() throws IOException {
        try (SocketDirectory directory = SocketDirectory.open(shortOne())) {
            assertThat(directory.socket()).isEqualTo(shortOne().resolve("s").resolve("api.sock"));
            assertThat(mode(directory.mounted().getParent())).isEqualTo("rwx------");
            assertThat(mode(directory.mounted())).isEqualTo("rwxr-xr-x");
        }
        assertThat(shortOne()).doesNotExist();
        assertThat(shortOne().getParent()).isEmptyDirectory();
    }

    @Test
    void aLongPathHasItsSocketElsewhere() throws IOException {
        Path mounted;
        try (SocketDirectory directory = SocketDirectory.open(longOne());
                ApiGateway gateway = ApiGateway.builder("k").build()) {
            gateway.overSocket(directory.socket());
            mounted = directory.mounted();
            assertThat(directory.socket().toString()).hasSizeLessThan(100);
            assertThat(mode(mounted.getParent())).isEqualTo("rwx------");
            assertThat(mode(directory.socket())).isEqualTo("rw-rw-rw-");
            gateway.close();
        }
        assertThat(mounted.getParent()).doesNotExist();
        assertThat(longOne()).doesNotExist();
    }

    @Test
    void whatACrashLeavesIsTakenOverWithTheSameDirectory() throws IOException {
        for (Path path : new Path[] {shortOne(), longOne()}) {
            SocketDirectory crashed = SocketDirectory.open(path);
            Files.createFile(crashed.socket());
            Object inode = Files.getAttribute(crashed.mounted(), "unix:ino");

            try (SocketDirectory next = SocketDirectory.open(path)) {
                assertThat(next.mounted()).isEqualTo(crashed.mounted()).isEmptyDirectory();
                assertThat(Files.getAttribute(next.mounted(), "unix:ino")).isEqualTo(inode);
            }
            assertThat(crashed.mounted().getParent()).doesNotExist();
        }
    }

    @Test
    void whatACrashLeavesCanBeRemoved() throws IOException {
        SocketDirectory crashed = SocketDirectory.open(longOne());
        Files.createFile(crashed.socket());

        SocketDirectory.remove(longOne());

        assertThat(crashed.mounted().getParent()).doesNotExist();
        assertThat(longOne()).doesNotExist();
        SocketDirectory.remove(longOne());
    }

    @Test
    void aNoteThatPointsSomewhereElseIsNotFollowed() throws IOException {
        for (String target : new String[] {
            temp.resolve("victim").toString(),
            temp.resolve("maestro-run-0123456789abcdef").toString(),
            "..",
            ""
        }) {
            Path own = Files.createDirectories(longOne());
            Path victim = Files.createDirectories(temp.resolve("victim").resolve("s"));
            Path lookalike = Files.createDirectories(
                    temp.resolve("maestro-run-0123456789abcdef").resolve("s"));
            Files.writeString(own.resolve("elsewhere"), target);

            SocketDirectory.remove(longOne());

            assertThat(victim).exists();
            assertThat(lookalike).as("open to others, so not ours").exists();
            assertThat(own).doesNotExist();
        }
    }

    @Test
    void oneThatIsInUseIsNotTakenOver() {
        try (SocketDirectory directory = SocketDirectory.open(shortOne());
                ApiGateway gateway = ApiGateway.builder("k").build()) {
            gateway.overSocket(directory.socket());
            assertThatThrownBy(() -> SocketDirectory.open(shortOne()))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("still listens");
            assertThatThrownBy(() -> SocketDirectory.remove(shortOne())).isInstanceOf(MaestroException.class);
            assertThat(directory.socket()).exists();
            gateway.close();
        }
    }
}
