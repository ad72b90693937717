package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryKindTest {
    private static final String PIP = "python3 -m venv .venv && .venv/bin/pip install ";
    private static final String PACKAGE = "[project]\nname = 'x'\n";

    private static RepositoryKind of(String names) {
        return RepositoryKind.of(Set.of(names.split(" ")), name -> Optional.empty());
    }

    private static RepositoryKind python(String pyproject) {
        return RepositoryKind.of(
                Set.of("pyproject.toml"), name -> Optional.of(pyproject).filter(text -> name.equals("pyproject.toml")));
    }

    @ParameterizedTest
    @CsvSource({
        "Cargo.toml, rust, cargo build",
        "Cargo.toml package.json pom.xml, rust, cargo build",
        "pom.xml, java, mvn -B -q -DskipTests package",
        "pom.xml mvnw, java, ./mvnw -B -q -DskipTests package",
        "pom.xml build.gradle gradlew, java, mvn -B -q -DskipTests package",
        "build.gradle, java, gradle assemble",
        "build.gradle.kts gradlew, java, ./gradlew assemble",
        "settings.gradle, java, gradle assemble",
        "settings.gradle.kts package.json, java, gradle assemble",
        "package.json, node, npm install",
        "package.json package-lock.json yarn.lock pnpm-lock.yaml, node, npm ci",
        "package.json yarn.lock pnpm-lock.yaml, node, yarn install --frozen-lockfile",
        "package.json pnpm-lock.yaml, node, pnpm install --frozen-lockfile",
        "go.mod, go, go mod download",
        "go.mod package.json, node, npm install",
        "requirements.txt package.json, python, @-r requirements.txt",
        "pyproject.toml, python, @-e .",
        "setup.py, python, @-e .",
        "setup.py requirements.txt, python, @-r requirements.txt -e .",
        "setup.py pyproject.toml, python, @-e ."
    })
    void theFirstMarkerDecides(String names, String purpose, String line) {
        RepositoryKind kind = of(names);
        assertThat(kind.purpose()).isEqualTo(purpose);
        assertThat(kind.setup()).containsExactly(line.replace("@", PIP));
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "cargo.toml", "Cargo.toml.orig", "mvnw", "package-lock.json", "setup.cfg"})
    void whatIsNoMarkerIsGeneral(String name) {
        assertThat(of(name)).isEqualTo(new RepositoryKind("general", List.of(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Makefile", "makefile", "GNUmakefile"})
    void makeIsMentionedAndNotRun(String name) {
        assertThat(of(name).setup()).isEmpty();
        assertThat(of(name + " go.mod").setup()).containsExactly("go mod download");
        assertThat(of(name + " go.mod").notes()).containsExactly("a makefile is there; `make` is not run");
    }

    @Test
    void otherMarkersAreMentioned() {
        assertThat(of("Cargo.toml package.json").notes())
                .containsExactly("package.json (node) is there, too; nothing is set up for it");
        assertThat(of("pom.xml build.gradle").notes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[project]\nname='x'\n[project.optional-dependencies]\ntest = [\n 'a', # dev\n]\ndev = ['b']",
                "[project.optional-dependencies]\n\"dev\" = ['b']\n[project]",
                "[ project . optional-dependencies ]\r\ndev=[]\r\n",
                "[project]\noptional-dependencies = { test = ['[x]'], Dev = [\"b\"] }",
                "[project]\noptional-dependencies.dev = ['b']",
                "project.optional-dependencies.dev = ['b']",
                "[project]\nreadme = \"\"\"\nthe [end] \\\"\"\"\n[tool.x]\n\"\"\"\noptional-dependencies.dev = ['b']",
                "[[x]]\na = [{ b = [1, 2.5], c = true }, ['d']]\n[tool.poetry.extras]\ndev = ['b']"
            })
    void anExtraDevIsInstalled(String pyproject) {
        assertThat(python(pyproject).setup()).containsExactly(PIP + "-e \".[dev]\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[project.optional-dependencies]\ndevel = ['b']",
                "[project.optional-dependencies]\ntest = [\n 'x',\n 'dev = 1',\n]\n#dev = ['b']",
                "[project]\nreadme = '''\n[project.optional-dependencies]\ndev = []\n'''",
                "[project]\n[tool.hatch.envs]\ndev = 1",
                "[build-system]\nrequires = []\n[dependency-groups]\ndev = ['b']",
                "[tool.poetry]\nname = 'x'",
                "[project]\nbroken = \n[project.optional-dependencies]\ndev = []"
            })
    void whatIsCalledDevElsewhereIsNoExtra(String pyproject) {
        assertThat(python(pyproject).setup()).containsExactly(PIP + "-e .");
    }

    @Test
    void settingsOfToolsAreNotInstalled() {
        String settings = "[tool.black]\nline-length = 100\n[tool.poetryish]\n";
        assertThat(python(settings).setup()).isEmpty();
        assertThat(python(settings).notes()).singleElement().asString().contains("describes no package");
        RepositoryKind both = RepositoryKind.of(
                Set.of("pyproject.toml", "requirements.txt", "setup.py"), name -> Optional.of(settings));
        assertThat(both.setup()).containsExactly(PIP + "-r requirements.txt -e .");
        assertThat(both.notes()).isEmpty();
    }

    @Test
    void aTextThatIsTooLongIsNotRead() {
        String filler = "#".repeat(64 * 1024 - PACKAGE.length() - 45) + "\n";
        String extra = "[project.optional-dependencies]\ndev = ['b']\n";
        assertThat(python(PACKAGE + filler + extra).setup()).containsExactly(PIP + "-e \".[dev]\"");
        assertThat(python(PACKAGE + filler + filler + extra).setup()).containsExactly(PIP + "-e .");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[a",
                "a=[",
                "a={",
                "a.",
                "\"",
                "\"\"\"",
                "'''",
                "\\",
                "[[",
                "a=1\n",
                "[a.b]\na=1\n",
                "{",
                "=",
                "#"
            })
    @Timeout(20)
    void whatRepeatsIsReadSoon(String part) {
        String text = part.repeat(64 * 1024 / part.length());
        assertThat(python(text).setup()).hasSizeLessThan(2);
    }

    /** What stands behind it is not found; without these limits memory or the stack would end. */
    @Test
    void keysAndNestingHaveLimits() {
        String extra = "\n[project.optional-dependencies]\ndev = []\n";
        assertThat(python(PACKAGE + "a.".repeat(14) + "a=1" + extra).setup()).containsExactly(PIP + "-e \".[dev]\"");
        assertThat(python(PACKAGE + "a.".repeat(15) + "a=1" + extra).setup()).containsExactly(PIP + "-e .");
        String deep = PACKAGE + "a=" + "[".repeat(20) + "1" + "]".repeat(20) + extra;
        assertThat(python(deep).setup()).containsExactly(PIP + "-e \".[dev]\"");
        assertThat(python(deep.replace("1", "[1]")).setup()).containsExactly(PIP + "-e .");
        assertThat(python(PACKAGE + "a=" + "[".repeat(60_000)).setup()).containsExactly(PIP + "-e .");
    }

    @Test
    void nothingOfAFileGetsIntoACommand() {
        tryRandomFiles(Campaign.number(1_500));
    }

    @Test
    @Full("nothingOfAFileGetsIntoACommand tries some of such files")
    void nothingOfManyFilesGetsIntoACommand() {
        tryRandomFiles(30_000);
    }

    private static void tryRandomFiles(int number) {
        List<String> parts = List.of(
                "[",
                "]",
                "{",
                "}",
                "=",
                ".",
                ",",
                "\n",
                "#",
                "\"",
                "'",
                "\"\"\"",
                "'''",
                "\\",
                "dev",
                "project",
                "tool",
                "optional-dependencies",
                "poetry",
                "1",
                " ",
                "$(id)",
                "é",
                "\u0000");
        for (long seed : Campaign.seeds("pyproject.toml", number).toArray()) {
            Random random = new Random(seed);
            String text = Stream.generate(() -> parts.get(random.nextInt(parts.size())))
                    .limit(random.nextInt(60))
                    .reduce("", String::concat);
            assertThat(python(text).setup()).as("seed %d", seed).isSubsetOf(PIP + "-e \".[dev]\"", PIP + "-e .");
        }
    }

    @Test
    void itCannotBeChanged() {
        RepositoryKind kind = of("go.mod Makefile");
        assertThatThrownBy(() -> kind.setup().add("x")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> kind.notes().add("x")).isInstanceOf(UnsupportedOperationException.class);
    }
}
