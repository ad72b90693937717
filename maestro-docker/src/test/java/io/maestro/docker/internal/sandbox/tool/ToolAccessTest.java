package io.maestro.docker.internal.sandbox.tool;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolAccessTest {
    private final ToolAccess access = new ToolAccess(
            List.of(Path.of("/place/ws"), Path.of("/place/other")), EnumSet.allOf(Grant.class), image -> image);

    @Test
    void aPathOfTheWorkspaceIsRelativeAndAnotherOneAbsolute() {
        assertThat(access.name("secrets.env")).isEqualTo(Path.of("/place/ws/secrets.env"));
        assertThat(access.name("/place/other/file")).isEqualTo(Path.of("/place/other/file"));
        assertThat(access.mount(".", "/x", true))
                .hasToString(access.workspace("/x").asReadOnly().toString());
        assertThat(access.mount("/place/other", "/x", true)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/place/ws/secrets.env, secrets.env",
        "../ws/secrets.env, secrets.env",
        "./secrets.env, secrets.env",
        "x/../secrets.env, secrets.env",
        "secrets.env/, secrets.env",
        "../other/file, /place/other/file",
        "/place/other/../ws/file, file"
    })
    void anotherSpellingIsNotCopied(String path, String canonical) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> access.name(path))
                .withMessage("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }

    @ParameterizedTest
    @CsvSource({"/place/ws, .", "../ws, .", "'', .", "x/.., .", "../other, /place/other", "/place/other/, /place/other"
    })
    void anotherSpellingIsNotMounted(String path, String canonical) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> access.mount(path, "/x", true))
                .withMessage("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }
}
