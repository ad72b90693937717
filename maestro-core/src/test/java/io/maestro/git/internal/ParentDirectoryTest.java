package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ParentDirectoryTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    @Test
    void aRelativePathHasOneToo() {
        assertThat(ParentDirectory.of(Path.of("a"))).isEqualTo(HERE);
        assertThat(ParentDirectory.of(HERE.resolve("a/b"))).isEqualTo(HERE.resolve("a"));
    }

    @Test
    void theRootOfAFileSystemIsRefused() {
        Path root = HERE.getRoot();
        assertThatThrownBy(() -> ParentDirectory.of(root))
                .isInstanceOf(GitException.class)
                .hasMessage(root + " is the root of a file system; use a directory in it");
        assertThatThrownBy(() -> SafeDirectory.open(root)).isInstanceOf(FileSystemException.class);
    }
}
