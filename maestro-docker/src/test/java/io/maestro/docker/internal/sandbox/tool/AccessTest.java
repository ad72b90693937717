package io.maestro.docker.internal.sandbox.tool;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.docker.internal.sandbox.tool.Access.Grant;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTest {
    private final Access access = new Access(
            List.of(Path.of("/work/ws"), Path.of("/work/other")), EnumSet.allOf(Grant.class), image -> image);

    @Test
    void aPathOfTheWorkspaceIsRelativeAndAnotherOneAbsolute() {
        assertThat(access.name("secrets.env")).isEqualTo(Path.of("/work/ws/secrets.env"));
        assertThat(access.name("/work/other/file")).isEqualTo(Path.of("/work/other/file"));
        assertThat(access.mount(".", "/x", true))
                .hasToString(access.workspace("/x").asReadOnly().toString());
        assertThat(access.mount("/work/other", "/x", true)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/work/ws/secrets.env, secrets.env",
        "../ws/secrets.env, secrets.env",
        "./secrets.env, secrets.env",
        "x/../secrets.env, secrets.env",
        "secrets.env/, secrets.env",
        "../other/file, /work/other/file",
        "/work/other/../ws/file, file"
    })
    void anotherSpellingIsNotCopied(String path, String canonical) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> access.name(path))
                .withMessage("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }

    @ParameterizedTest
    @CsvSource({"/work/ws, .", "../ws, .", "'', .", "x/.., .", "../other, /work/other", "/work/other/, /work/other"})
    void anotherSpellingIsNotMounted(String path, String canonical) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> access.mount(path, "/x", true))
                .withMessage("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }
}
