package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootMarkTest {
    @TempDir
    private Path directory;

    @Test
    void itIsTheSameBeforeTheDirectoryExistsAndAfter() throws Exception {
        Path later = directory.resolve("a").resolve("b c");
        String mark = RootMark.of(later);
        Files.createDirectories(later);
        assertThat(RootMark.of(later)).isEqualTo(mark);
        assertThat(RootMark.of(Path.of("/"))).isEqualTo("|/|");
    }

    @Test
    void aLinkInTheParentsPathIsResolvedAndOneInPlaceOfTheDirectoryIsNot() throws Exception {
        Files.createDirectories(directory.resolve("real/work"));
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("real"));
        String mark = RootMark.of(directory.resolve("real/work"));
        assertThat(RootMark.of(directory.resolve("link/work"))).isEqualTo(mark);

        Files.delete(directory.resolve("real/work"));
        Files.createSymbolicLink(directory.resolve("real/work"), directory);
        assertThat(RootMark.of(directory.resolve("real/work"))).isEqualTo(mark);
    }

    @Test
    void itIsFoundInItsVariableOnlyAndNotInALongerPath() {
        String mark = RootMark.of(Path.of("/w/a"));
        String outer = RootMark.value(mark, null);
        assertThat(has(RootMark.VARIABLE + "=" + outer + "\0B=c\0", mark)).isTrue();
        assertThat(has("A=b\0" + RootMark.VARIABLE + "=" + outer, mark)).isTrue();
        assertThat(has("A=" + mark + "\0", mark)).isFalse();
        assertThat(has(RootMark.VARIABLE + "=x\0A=" + mark + "\0", mark)).isFalse();
        for (String other : new String[] {"/w/ab", "/w", "/w/a/b", "/", "/x/w/a"}) {
            String value = RootMark.value(RootMark.of(Path.of(other)), null);
            assertThat(has(RootMark.VARIABLE + "=" + value + "\0", mark))
                    .as(other)
                    .isFalse();
        }
    }

    @Test
    void aNestedExecutorsCommandHasBothMarksAndNoOther() {
        String inner = RootMark.of(Path.of("/w/b"));
        String outer = RootMark.of(Path.of("/w/a"));
        String environment = RootMark.VARIABLE + "=" + RootMark.value(inner, outer) + "\0";
        assertThat(has(environment, inner)).isTrue();
        assertThat(has(environment, outer)).isTrue();
        assertThat(has(environment, RootMark.of(Path.of("/")))).isFalse();
    }

    private static boolean has(String environment, String mark) {
        return RootMark.isIn(environment, mark);
    }
}
