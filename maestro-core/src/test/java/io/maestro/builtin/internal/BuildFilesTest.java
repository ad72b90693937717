package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeFiles;
import io.maestro.project.internal.BuildDirectories;
import io.maestro.project.internal.BuildFiles;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectFiles;
import io.maestro.project.internal.ProjectTask;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuildFilesTest {
    @TempDir
    Path directory;

    private String suggested(ProjectTask task) throws IOException {
        return BuildFiles.suggest(task, WorkspaceProjectFiles.of(directory, ""))
                .map(found -> found.line() + " (" + found.source() + ")")
                .orElse("nothing");
    }

    private void files(String files) throws IOException {
        for (String file : files.split(" & ", -1)) {
            String[] parts = file.split("=", 2);
            Files.writeString(
                    directory.resolve(parts[0]),
                    parts.length == 1 ? "" : parts[1].replace("\\n", "\n").replace("\\t", "\t"));
        }
    }

    /** Files, separated by an ampersand, each with its content. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "mvnw & pom.xml ~ sh ./mvnw -B -ntp -DskipTests package (mvnw) ~ nothing",
                "pom.xml=<artifactId>spotless-maven-plugin</artifactId><artifactId>spotbugs-maven-plugin</artifactId>"
                        + " ~ mvn -B -ntp -DskipTests package (pom.xml)"
                        + " ~ mvn -B -ntp spotless:check compile spotbugs:check (pom.xml)",
                "pom.xml=<!-- <artifactId>spotless-maven-plugin</artifactId> --> ~ mvn -B -ntp -DskipTests package"
                        + " (pom.xml) ~ nothing",
                "gradlew & build.gradle=plugins { id 'checkstyle' } ~ sh ./gradlew --no-daemon assemble (gradlew) ~ sh"
                        + " ./gradlew --no-daemon checkstyleMain (gradlew)",
                "build.gradle.kts=alias(libs.plugins.spotless) // detekt"
                        + " ~ gradle --no-daemon assemble (build.gradle.kts)"
                        + " ~ gradle --no-daemon spotlessCheck (build.gradle.kts)",
                "package.json={\"scripts\": {\"build\": \"tsc\", \"lint\": \"eslint .\"}}"
                        + " ~ npm run build (package.json) ~ npm run lint (package.json)",
                "package.json={\"scripts\": {\"build\": \"tsc\"}, \"devDependencies\": {\"a\": \"1\"}} & yarn.lock ~ ["
                        + " -d node_modules ] || yarn install --frozen-lockfile && yarn run build (package.json) ~"
                        + " nothing",
                "package.json={\"scripts\": {\"lint\": \"x\"}, \"dependencies\": {\"a\": \"1\"}} & pnpm-lock.yaml ~"
                        + " nothing ~ [ -d node_modules ] || pnpm install --frozen-lockfile && pnpm run lint"
                        + " (package.json)",
                "package.json={\"scripts\": {\"build\": \"x\"}, \"dependencies\": {\"a\": \"1\"}} ~ [ -d node_modules"
                        + " ] || npm install --no-audit --no-fund --no-package-lock && npm run build (package.json) ~"
                        + " nothing",
                "package.json={} & eslint.config.mjs ~ nothing ~ npx --no-install eslint . (package.json)",
                "package.json={} & biome.json ~ nothing ~ npx --no-install biome lint . (package.json)",
                "package.json={\"scripts\": {\"build\": {}, \"lint\": \" \"}} ~ nothing ~ nothing",
                "package.json=no JSON ~ nothing ~ nothing",
                "package.json ~ nothing ~ nothing",
                "Makefile=.PHONY: build lint\\nX := build:\\n\\tbuild: no\\n# lint: ~ nothing ~ nothing",
                "Makefile=all lint: a b\\n\\ttrue ~ make all (Makefile) ~ make lint (Makefile)",
                "Makefile=all:\\nbuild :: x ~ make build (Makefile) ~ nothing",
                "Cargo.toml ~ cargo build (Cargo.toml) ~ cargo clippy --all-targets (Cargo.toml)",
                "go.mod ~ go build -o /dev/null ./... (go.mod) ~ go vet ./... (go.mod)",
                "go.mod & .golangci.yml & Makefile=build:"
                        + " ~ make build (Makefile) ~ golangci-lint run ./... (go.mod)",
                "pyproject.toml=[build-system]\\n[tool.ruff.lint]\\n[tool.mypy]"
                        + " ~ python3 -m build (pyproject.toml) ~ ruff check . && python3 -m mypy . (pyproject.toml)",
                "pyproject.toml=[project] ~ nothing ~ nothing",
                "requirements.txt & .flake8 & .pylintrc ~ nothing"
                        + " ~ python3 -m flake8 && python3 -m pylint --recursive=y . (requirements.txt)",
                "README.md ~ nothing ~ nothing",
            })
    void whatIsThereSuggestsHowToBuildAndLint(String files, String build, String lint) throws IOException {
        files(files);
        assertThat(suggested(ProjectTask.BUILD)).isEqualTo(build);
        assertThat(suggested(ProjectTask.LINT)).isEqualTo(lint);
    }

    @Test
    void whatTheHostHasSetIsForTheRoot() throws IOException {
        files("Makefile=build:\\nlint:");
        ProjectCommands commands = new ProjectCommands("s", "b", null, "t", Duration.ofSeconds(1));
        ProjectFiles files = WorkspaceProjectFiles.of(directory, "");
        assertThat(commands.command(ProjectTask.BUILD, files, true).orElseThrow())
                .isEqualTo(new BuildFiles.Suggestion("b", "build.command"));
        assertThat(commands.command(ProjectTask.BUILD, files, false)
                        .orElseThrow()
                        .line())
                .isEqualTo("make build");
        assertThat(commands.command(ProjectTask.LINT, files, true).orElseThrow().line())
                .isEqualTo("make lint");
        assertThat(commands.command(ProjectTask.SETUP, files, true)
                        .orElseThrow()
                        .line())
                .isEqualTo("s");
        assertThat(commands.command(ProjectTask.TEST, files, true).orElseThrow().line())
                .isEqualTo("t");
    }

    @Test
    void noLinkIsFollowed() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("Makefile"), "build:");
        Path workspace = Files.createDirectory(directory.resolve("workspace"));
        Files.createSymbolicLink(workspace.resolve("Makefile"), outside.resolve("Makefile"));
        Files.createSymbolicLink(workspace.resolve("link"), outside);
        Files.createDirectories(workspace.resolve("pom.xml"));
        ProjectFiles files = WorkspaceProjectFiles.of(workspace, "");
        assertThat(BuildFiles.suggest(ProjectTask.BUILD, files)).isEmpty();
        for (String away : new String[] {"link", "../outside", "none", "/etc"}) {
            assertThatThrownBy(() -> WorkspaceProjectFiles.of(workspace, away))
                    .as(away)
                    .isInstanceOf(SafeFiles.RefusedPathException.class);
        }
    }

    /** Files that would take for ever where each comment were looked for to the end of the file. */
    @Full("files as long as are read")
    @ParameterizedTest
    @ValueSource(strings = {"<!--", "/*", "build ", "a:", "[tool.", "{\"scripts\":"})
    @Timeout(120)
    void noFileTakesLong(String part) throws IOException {
        for (String name : new String[] {"pom.xml", "build.gradle", "Makefile", "pyproject.toml", "package.json"}) {
            Files.writeString(directory.resolve(name), part.repeat(256 * 1024 / part.length()));
        }
        suggested(ProjectTask.BUILD);
        suggested(ProjectTask.LINT);
    }

    @Test
    void directoriesWithBuildFilesAreFoundTwoLevelsDown() throws IOException {
        for (String path : new String[] {
            "pom.xml",
            "ui/package.json",
            "a/b/go.mod",
            "a/b/c/go.mod",
            "node_modules/x/package.json",
            ".x/go.mod",
            "ignored/go.mod",
            "a/README.md"
        }) {
            Files.createDirectories(directory.resolve(path).getParent());
            Files.writeString(directory.resolve(path), "");
        }
        Files.writeString(directory.resolve(".gitignore"), "ignored/\n");
        assertThat(BuildDirectories.in(directory).toString())
                .isEqualTo("{=[pom.xml], a/b=[go.mod], ui=[package.json]}");
    }
}
