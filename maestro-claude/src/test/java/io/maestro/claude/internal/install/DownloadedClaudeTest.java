package io.maestro.claude.internal.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.claude.ClaudeInstallException;
import io.maestro.claude.ClaudeInstaller;
import io.maestro.claude.ClaudeInstaller.Installed;
import io.maestro.claude.ClaudeInstaller.Source;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native package comes over the network, from a registry on this machine. */
class DownloadedClaudeTest {
    @TempDir
    Path directory;

    private InstallPlace place;

    @BeforeEach
    void place() {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the stub has the package for linux-x64 only");
        place = new InstallPlace(directory);
    }

    /** A place in which a script finds only some of the programs. */
    private ClaudeInstaller installer(StubRegistry registry, String hidden) {
        UnaryOperator<String> hide =
                script -> script.replace("for program in npm curl wget ", "for program in " + hidden);
        return ClaudeInstaller.on(place.other().changing(hide))
                .registry(registry.address())
                .directory(place.state.toString())
                .build();
    }

    private StubRegistry registry(String wrongSum) throws Exception {
        return new StubRegistry(InetAddress.getLoopbackAddress(), InstallPlace.CURRENT, wrongSum);
    }

    @Test
    void itComesWithoutNpm() throws Exception {
        try (StubRegistry registry = registry(null)) {
            Installed installed = installer(registry, "curl wget ").ensure();

            assertThat(installed.source()).isEqualTo(Source.DOWNLOADED);
            assertThat(installed.program()).isEqualTo(place.state + "/bin/claude");
            assertThat(installed.report()).contains("verified by its SHA-512");
            assertThat(InstallPlace.names(place.state.resolve("bin"))).containsExactly("claude");

            int before = registry.asked.size();
            assertThat(installer(registry, "curl wget ").ensure().source()).isEqualTo(Source.FOUND);
            assertThat(registry.asked).as("asked no second time").hasSize(before);
        }
    }

    @Test
    void itComesByWget() throws Exception {
        place.program("bin/curl", "#!/bin/sh\necho 'curl is not to be used' >&2\nexit 9\n");
        try (StubRegistry registry = registry(null)) {
            UnaryOperator<String> onlyWget = script ->
                    script.replace("command -v curl", "false").replace("for program in npm curl ", "for program in ");
            Installed installed = ClaudeInstaller.on(place.other().changing(onlyWget))
                    .registry(registry.address())
                    .directory(place.state.toString())
                    .build()
                    .ensure();

            assertThat(installed.source()).isEqualTo(Source.DOWNLOADED);
        }
    }

    @Test
    void aPackageWithAnotherSumIsNotTaken() throws Exception {
        try (StubRegistry registry = registry("sha512-" + "A".repeat(86) + "==")) {
            assertThatThrownBy(() -> installer(registry, "curl wget ").ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("the SHA-512 is");
            assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
        }
    }

    @Test
    void aPackageThatCannotBeVerifiedIsNotTaken() throws Exception {
        try (StubRegistry registry = registry("sha1-AAAA")) {
            assertThatThrownBy(() -> installer(registry, "curl wget ").ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("names no SHA-512");
        }
        try (StubRegistry registry = registry(null)) {
            UnaryOperator<String> noSum = script -> script.replace("command -v sha512sum", "false")
                    .replace("for program in npm curl ", "for program in curl ");
            assertThatThrownBy(() -> ClaudeInstaller.on(place.other().changing(noSum))
                            .registry(registry.address())
                            .directory(place.state.toString())
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("there is no sha512sum");
        }
        assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
    }

    @Test
    void aRegistryThatDoesNotAnswerIsNamed() throws Exception {
        StubRegistry registry = registry(null);
        registry.close();

        assertThatThrownBy(() -> installer(registry, "curl wget ").ensure())
                .isInstanceOf(ClaudeInstallException.class)
                .hasMessageContaining("asking " + registry.address() + "@anthropic-ai%2Fclaude-code-linux-x64/2.1.197");
    }

    @Test
    void itComesByNpm() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/npm")), "npm is not there");
        try (StubRegistry registry = registry(null)) {
            Installed installed = installer(registry, "npm ").ensure();

            assertThat(installed.source()).isEqualTo(Source.NPM);
            assertThat(InstallPlace.names(place.state.resolve("bin"))).containsExactly("claude");
            assertThat(InstallPlace.names(place.home)).as("npm's own state").isEmpty();
        }
    }

    /** The package manager is a script, after which curl is found. */
    @Test
    void whatADownloadNeedsIsInstalledFirst() throws Exception {
        Path installed = Files.createFile(directory.resolve("installed"));
        Path asked = directory.resolve("asked");
        place.program(
                "bin/apt-get",
                "#!/bin/sh\necho \"$@\" >>" + asked + "\nif test \"$1\" = install; then echo curl >" + installed
                        + "; fi\n");
        OtherPlace other = place.other()
                .changing(script -> script.replaceAll(
                        "for program in npm .*; do",
                        "for program in tar gzip sha512sum apt-get \\$(cat " + installed + "); do"));
        try (StubRegistry registry = registry(null)) {
            Installed found = ClaudeInstaller.on(other)
                    .administrator("0:0")
                    .registry(registry.address())
                    .directory(place.state.toString())
                    .build()
                    .ensure();

            assertThat(found.source()).isEqualTo(Source.DOWNLOADED);
            assertThat(found.report()).contains("apt-get has installed curl");
        }
        assertThat(Files.readAllLines(asked))
                .containsExactly("update -qq", "install -y -qq --no-install-recommends curl ca-certificates tar gzip");
        assertThat(other.run)
                .filteredOn(request -> request.user().equals(Optional.of("0:0")))
                .singleElement()
                .satisfies(request -> assertThat(request.command().get(2)).contains("apt-get"));
    }

    @Test
    void withoutAProgramThatFetchesItIsSaidWhatIsMissing() throws Exception {
        try (StubRegistry registry = registry(null)) {
            UnaryOperator<String> nothing =
                    script -> script.replaceAll("for program in npm .*; do", "for program in x; do");
            assertThatThrownBy(() -> ClaudeInstaller.on(place.other().changing(nothing))
                            .registry(registry.address())
                            .directory(place.state.toString())
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("neither npm nor curl or wget with tar and gzip")
                    .hasMessageContaining("there is no apt-get, apk, dnf or yum");
        }
    }
}
