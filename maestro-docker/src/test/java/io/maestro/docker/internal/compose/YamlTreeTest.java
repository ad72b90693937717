package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.compose.YamlTree.BadYamlException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlTreeTest {
    private static Map<String, @Nullable Object> read(String text) throws BadYamlException {
        return YamlTree.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "22:22, 22:22",
        "yes, yes",
        "off, off",
        "0440, 288",
        "0o17, 15",
        "0x1F, 31",
        "1_000, 1000",
        "08, 8",
        "1f, 1f",
        "true, true",
        "TRUE, true",
        "1.5, 1.5",
        ".5, 0.5",
        "1e3, 1E+3",
        "2001-01-01, 2001-01-01",
        "0.1.2, 0.1.2",
        "-7, -7"
    })
    void plainScalarsMeanWhatTheyMeanToGo(String text, String meaning) throws Exception {
        assertThat(read("a: " + text).get("a")).hasToString(meaning);
        assertThat(read("a: '" + text + "'").get("a")).isEqualTo(text);
    }

    @Test
    void ownKeysWinOverMergedOnesAndTheFirstOverTheNext() throws Exception {
        Map<String, @Nullable Object> tree =
                read("x: &x {a: 1, b: 1, c: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: [*y, *x], c: 3, n: ~}");
        assertThat(String.valueOf(tree.get("z"))).isEqualTo("{c=3, n=null, b=2, a=1}");
    }

    @Test
    @Timeout(60)
    void whatGrowsWhenItIsResolvedIsRefused() {
        StringBuilder text = new StringBuilder("k0: &k0 [1,1,1,1,1,1,1,1,1,1]\n");
        for (int i = 1; i < 12; i++) {
            text.append(
                    "k%d: &k%d [%s]\n".formatted(i, i, "*k%d,".formatted(i - 1).repeat(10)));
        }
        assertThatThrownBy(() -> read(text.toString())).isInstanceOf(BadYamlException.class);
        String scalar = "s: &s " + "x".repeat(100_000) + "\nl: [" + "*s,".repeat(100) + "]";
        assertThatThrownBy(() -> read(scalar)).hasMessageContaining("too large");
    }
}
