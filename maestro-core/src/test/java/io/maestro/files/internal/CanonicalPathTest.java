package io.maestro.files.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalPathTest {
    @ParameterizedTest
    @CsvSource({
        "a, a",
        "./a, a",
        "a/, a",
        "a/., a",
        "a//b, a/b",
        "a/../b, b",
        "., .",
        "./, .",
        "a/.., .",
        "../a, ../a",
        "a/../../b, ../b",
        "../../a/.., ../..",
        "/a/./b/, /a/b",
        "//a, /a",
        "/../a, /a",
        "/, /",
        "..., ...",
        "'', ''",
        "' ', ' '",
        "' a', ' a'"
    })
    void aPathHasOneSpelling(String path, String canonical) {
        assertThat(CanonicalPath.of(path)).isEqualTo(canonical);
        assertThat(CanonicalPath.of(canonical)).isEqualTo(canonical);
    }

    @Test
    void whatIsNoUnicodeIsAsInTheFilesName() {
        assertThat(CanonicalPath.of("a\ud800")).isEqualTo("a?");
        assertThat(CanonicalPath.of("ä😀")).isEqualTo("ä😀");
    }

    /** As the disks of macOS, which this machine does not have. */
    private static CanonicalPath.Directory ignoringCase(String... names) {
        List<String> raw = List.of(names).stream().map(RawName::ofText).toList();
        return new CanonicalPath.Directory() {
            @Override
            public Optional<Object> file(String name) {
                return raw.stream()
                        .map(CanonicalPathTest::key)
                        .filter(key(name)::equals)
                        .findFirst();
            }

            @Override
            public List<String> names() {
                return raw;
            }
        };
    }

    private static Object key(String raw) {
        return Normalizer.normalize(RawName.text(raw).toUpperCase(Locale.ROOT), Normalizer.Form.NFD);
    }

    @ParameterizedTest
    @CsvSource({
        ".GITHUB, .github",
        ".GitHub, .github",
        ".github, ''",
        "new, ''",
        "readme, README",
        "123, ''",
        "GR\u00dcN, gr\u00fcn",
        "gru\u0308n, gr\u00fcn"
    })
    void onADiskThatIgnoresCaseAFileHasItsOwnName(String name, String stored) throws IOException {
        assertThat(CanonicalPath.storedName(ignoringCase(".github", "README", "123", "gr\u00fcn"), RawName.ofText(name))
                        .map(RawName::text)
                        .orElse(""))
                .isEqualTo(stored);
    }

    @Test
    void twoNamesOfOneFileAreBothItsOwn() throws IOException {
        CanonicalPath.Directory linked = ignoringCase("a", "A");
        assertThat(CanonicalPath.storedName(linked, "a")).isEmpty();
        assertThat(CanonicalPath.storedName(linked, "A")).isEmpty();
    }
}
