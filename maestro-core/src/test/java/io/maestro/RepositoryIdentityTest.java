package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryIdentityTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.org/team/app.git",
                "https://example.org/team/app",
                "https://someone@Example.ORG:443/team/app/",
                "http://example.org/team/app.git/",
                "ssh://git@example.org/team/app.git",
                "ssh://git@example.org:22/team/app.git",
                "git+ssh://example.org/team/app.git",
                "git@example.org:team/app.git",
                "example.org:/team/app",
                "git://example.org:9418/team/app.git"
            })
    void isTheSameForEachAddressOfARepository(String url) {
        assertThat(RepositoryIdentity.of(url)).isEqualTo("example.org/team/app");
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.org/team/app, https://example.org/team/app2",
        "https://example.org/team/app, https://example.org/Team/app",
        "https://example.org/team/app, https://example.com/team/app",
        "https://example.org:8443/team/app, https://example.org/team/app",
        "https://example.org/team/app, /team/app",
        "https://example.org/team/app, example.org/team/app",
        "/srv/app, /srv/app2"
    })
    void differsWhereTheRepositoryMayBeAnother(String one, String other) {
        assertThat(RepositoryIdentity.of(one)).isNotEqualTo(RepositoryIdentity.of(other));
    }

    @Test
    void isThatOfTheDirectoryForPaths(@TempDir Path directory) throws Exception {
        Path real = Files.createDirectory(directory.resolve("app.git")).toRealPath();
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);

        for (String path : new String[] {
            real.toString(), real + "/", directory + "/./app", "file://" + real, link.toString(), "file://" + link
        }) {
            assertThat(RepositoryIdentity.of(path)).as(path).isEqualTo(directory.toRealPath() + "/app");
        }
        assertThat(RepositoryIdentity.of("/not/there/app.git")).isEqualTo("/not/there/app");
    }
}
