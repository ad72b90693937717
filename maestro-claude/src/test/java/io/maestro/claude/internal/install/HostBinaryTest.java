package io.maestro.claude.internal.install;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The binary for the sandbox's processor and C library is found where npm puts it. */
class HostBinaryTest {
    private static final String GLIBC = "/lib64/ld-linux-x86-64.so.2";
    private static final String MUSL = "/lib/ld-musl-x86_64.so.1";

    @TempDir
    Path directory;

    private static Facts sandbox(String machine, boolean glibc, boolean musl) {
        return new Facts("Linux", machine, "1000", glibc, musl, Optional.empty());
    }

    private Path elf(String name, int machine, String loader) throws IOException {
        byte[] path = (loader + "\0").getBytes(StandardCharsets.US_ASCII);
        ByteBuffer file = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
        file.putShort(18, (short) machine);
        file.putLong(32, 64);
        file.putShort(54, (short) 56);
        file.putShort(56, (short) 2);
        file.putInt(64, 6);
        file.putInt(120, 3);
        file.putLong(120 + 8, 256);
        file.putLong(120 + 32, path.length);
        file.position(256);
        file.put(path);
        Path target = directory.resolve(name);
        Files.createDirectories(target.getParent());
        return Files.write(target, file.array());
    }

    private Path find(String given, Facts facts) {
        return HostBinary.find(directory.resolve(given), facts).file();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app",
                "app/node_modules",
                "app/node_modules/@anthropic-ai",
                "app/node_modules/@anthropic-ai/claude-code",
            })
    void theOneForTheSandboxIsTaken(String given) throws IOException {
        String scope = "app/node_modules/@anthropic-ai/";
        Files.createDirectories(directory.resolve(scope + "claude-code"));
        Path glibc = elf(scope + "claude-code-linux-x64/claude", 62, GLIBC).toRealPath();
        Path musl = elf(scope + "claude-code-linux-x64-musl/claude", 62, MUSL).toRealPath();
        Path arm = elf(scope + "claude-code-linux-arm64/claude", 183, "/lib/ld-linux-aarch64.so.1")
                .toRealPath();

        assertThat(find(given, sandbox("x86_64", true, false))).isEqualTo(glibc);
        assertThat(find(given, sandbox("x86_64", false, true))).isEqualTo(musl);
        assertThat(find(given, sandbox("aarch64", true, false))).isEqualTo(arm);
        assertThatThrownBy(() -> find(given, sandbox("aarch64", false, true)))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("claude-code-linux-arm64-musl@" + ClaudeVersion.NEWEST_TESTED);
    }

    @Test
    void thePackageOfAPlatformAndWhatNpmHasPutIntoTheWrapperWillDo() throws IOException {
        Path own = elf("claude-code-linux-x64/claude", 62, GLIBC).toRealPath();
        Path wrapped = elf("other/claude-code/bin/claude.exe", 62, GLIBC).toRealPath();

        assertThat(find("claude-code-linux-x64", sandbox("x86_64", true, false)))
                .isEqualTo(own);
        assertThat(find("other/claude-code", sandbox("amd64", true, false))).isEqualTo(wrapped);
        assertThatThrownBy(() -> find("other/claude-code", sandbox("x86_64", false, true)))
                .hasMessageContaining("nothing in")
                .hasMessageContaining("musl");
    }

    @Test
    void allThatMayBeNeededIsBoundUnderNamesOfItsOwn() throws IOException {
        Path glibc = elf("a/claude-code-linux-x64/claude", 62, GLIBC).toRealPath();
        Path musl = elf("a/claude-code-linux-x64-musl/claude", 62, MUSL).toRealPath();
        Files.createDirectories(directory.resolve("a/claude-code/bin"));
        Files.createLink(directory.resolve("a/claude-code/bin/claude.exe"), glibc);
        Path given = directory.resolve("a/claude-code");

        assertThat(HostBinary.all(given)).containsValues(glibc, musl);
        assertThat(HostBinary.all(given).keySet()).allMatch(name -> name.matches("claude-\\d"));
        assertThat(HostBinary.all(given).get(HostBinary.name(given, musl))).isEqualTo(musl);
        assertThat(HostBinary.all(glibc)).containsExactly(Map.entry("claude-1", glibc));
        assertThat(HostBinary.all(directory.resolve("nothing"))).isEmpty();
    }

    @Test
    void whyAFileDoesNotFitIsSaid() throws IOException {
        elf("claude", 62, GLIBC);

        assertThatThrownBy(() -> find("claude", sandbox("x86_64", false, true)))
                .hasMessageContaining("needs glibc (" + GLIBC + "), and the sandbox has musl")
                .hasMessageContaining("@anthropic-ai/claude-code-linux-x64-musl@" + ClaudeVersion.NEWEST_TESTED);
        assertThatThrownBy(() -> find("claude", sandbox("aarch64", true, false)))
                .hasMessageContaining("it is for x86_64, and the sandbox is aarch64");
        assertThatThrownBy(() -> find("claude", sandbox("x86_64", false, false)))
                .hasMessageContaining("neither glibc nor musl")
                .hasMessageContaining("use an image with glibc or musl");
    }

    @Test
    void aFileThatIsCutOffIsRefused() throws IOException {
        Path whole = elf("claude", 62, GLIBC);
        byte[] bytes = Files.readAllBytes(whole);
        Files.write(directory.resolve("cut"), Arrays.copyOf(bytes, 130));

        assertThatThrownBy(() -> find("cut", sandbox("x86_64", true, false))).hasMessageContaining("is cut off");
    }

    @Nested
    @RequiresClaude
    class Real {
        @Test
        void theRealBinaryIsUnderstood() throws IOException {
            Executable needs = Executable.read(RealClaude.program());

            assertThat(needs.machine())
                    .hasValueSatisfying(machine -> assertThat(machine)
                            .isEqualTo(System.getProperty("os.arch").replace("amd64", "x86_64")));
            assertThat(needs.interpreter())
                    .hasValueSatisfying(loader -> assertThat(loader).contains("/ld-"));
        }
    }
}
