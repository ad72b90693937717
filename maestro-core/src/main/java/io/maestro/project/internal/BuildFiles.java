package io.maestro.project.internal;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Knows by its build files how a project is prepared, built, linted and tested. The commands are constants: of what a file says
 * only that something is there counts, as agents can write it. A build or a lint is suggested only where the project has one.
 */
public final class BuildFiles {
    private static final JsonMapper JSON = new JsonMapper();

    /** Everything by which a build system is known, with its name. */
    private static final Map<String, String> SYSTEMS = systems();

    /** The first of these files that is there decides. */
    private static final Map<String, String> TESTS = tests();

    /** As above. What these install stays in the checkout; what those of other languages install may not, so it is not guessed. */
    private static final Map<String, String> SETUPS = setups();

    /** The first of these that suggests something decides; what a project names itself comes before what a language brings. */
    private static final Map<String, Function<ProjectFiles, String>> BUILDS = builds();

    /** As above. */
    private static final Map<String, Function<ProjectFiles, String>> LINTS = lints();

    private static final Map<String, String> MAVEN_LINTERS = inOrder(
            entry("spotless-maven-plugin", "spotless:check"),
            entry("maven-checkstyle-plugin", "checkstyle:check"),
            entry("maven-pmd-plugin", "pmd:check"),
            entry("spotbugs-maven-plugin", "compile spotbugs:check"));

    private static final Map<String, String> GRADLE_LINTERS = inOrder(
            entry("spotless", "spotlessCheck"),
            entry("checkstyle", "checkstyleMain"),
            entry("pmd", "pmdMain"),
            entry("detekt", "detekt"),
            entry("ktlint", "ktlintCheck"));

    private static final List<String> ESLINT = List.of(
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.json",
            ".eslintrc.yml");

    private static final List<String> GOLANGCI =
            List.of(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json");

    private BuildFiles() {}

    /**
     * What would be run.
     *
     * @param line for the shell
     * @param source the file that suggests it
     */
    public record Suggestion(String line, String source) {}

    private static Map<String, String> systems() {
        return inOrder(
                entry("mvnw", "Maven"),
                entry("pom.xml", "Maven"),
                entry("gradlew", "Gradle"),
                entry("build.gradle", "Gradle"),
                entry("build.gradle.kts", "Gradle"),
                entry("package.json", "npm"),
                entry("Cargo.toml", "Cargo"),
                entry("go.mod", "Go"),
                entry("pyproject.toml", "Python"),
                entry("setup.py", "Python"),
                entry("requirements.txt", "Python"),
                entry("Makefile", "Make"),
                entry("CMakeLists.txt", "CMake"),
                entry("build.xml", "Ant"));
    }

    private static Map<String, String> tests() {
        // By sh, since a checkout may have lost the right to execute it.
        return inOrder(
                entry("mvnw", "sh ./mvnw -B -ntp verify"),
                entry("pom.xml", "mvn -B -ntp verify"),
                entry("gradlew", "sh ./gradlew --no-daemon check"),
                entry("build.gradle", "gradle --no-daemon check"),
                entry("build.gradle.kts", "gradle --no-daemon check"),
                // A checkout has no node_modules; where a coder works, they are there.
                entry("package.json", "[ -d node_modules ] || npm install --no-audit --no-fund && npm test"),
                entry("Cargo.toml", "cargo test"),
                entry("go.mod", "go test ./..."),
                entry("pyproject.toml", "python3 -m pytest"),
                entry("Makefile", "make test"));
    }

    private static Map<String, String> setups() {
        return inOrder(
                entry("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
                entry("yarn.lock", "yarn install --frozen-lockfile"),
                entry("package-lock.json", "npm ci --no-audit --no-fund"));
    }

    private static Map<String, Function<ProjectFiles, String>> builds() {
        Map<String, Function<ProjectFiles, String>> builds = new LinkedHashMap<>();
        builds.put("mvnw", files -> "sh ./mvnw -B -ntp -DskipTests package");
        builds.put("pom.xml", files -> "mvn -B -ntp -DskipTests package");
        builds.put("gradlew", files -> "sh ./gradlew --no-daemon assemble");
        builds.put("build.gradle", files -> "gradle --no-daemon assemble");
        builds.put("build.gradle.kts", files -> "gradle --no-daemon assemble");
        builds.put("package.json", files -> script(files, "build"));
        builds.put("Makefile", files -> target(files, "build", "all", "compile"));
        builds.put("Cargo.toml", files -> "cargo build");
        // Compiles everything and writes nothing.
        builds.put("go.mod", files -> "go build -o /dev/null ./...");
        builds.put("pyproject.toml", files -> hasTable(files, "build-system") ? "python3 -m build" : "");
        return builds;
    }

    private static Map<String, Function<ProjectFiles, String>> lints() {
        Map<String, Function<ProjectFiles, String>> lints = new LinkedHashMap<>();
        lints.put("mvnw", files -> maven(files, "sh ./mvnw -B -ntp"));
        lints.put("pom.xml", files -> maven(files, "mvn -B -ntp"));
        lints.put("gradlew", files -> gradle(files, "sh ./gradlew --no-daemon"));
        lints.put("build.gradle", files -> gradle(files, "gradle --no-daemon"));
        lints.put("build.gradle.kts", files -> gradle(files, "gradle --no-daemon"));
        lints.put("package.json", BuildFiles::javaScriptLint);
        lints.put("Makefile", files -> target(files, "lint"));
        lints.put("Cargo.toml", files -> "cargo clippy --all-targets");
        lints.put(
                "go.mod", files -> GOLANGCI.stream().anyMatch(files::has) ? "golangci-lint run ./..." : "go vet ./...");
        lints.put("pyproject.toml", BuildFiles::pythonLint);
        lints.put("setup.py", BuildFiles::pythonLint);
        lints.put("requirements.txt", BuildFiles::pythonLint);
        return lints;
    }

    /** What the files of a directory suggest for a task; empty where there is nothing to run. */
    public static Optional<Suggestion> suggest(ProjectTask task, ProjectFiles files) {
        return switch (task) {
            case SETUP -> setup(files::has);
            case TEST -> test(files::has);
            case BUILD -> first(BUILDS, files);
            case LINT -> first(LINTS, files);
        };
    }

    public static Optional<Suggestion> setup(Predicate<String> isFile) {
        return first(SETUPS, isFile);
    }

    public static Optional<Suggestion> test(Predicate<String> isFile) {
        return first(TESTS, isFile);
    }

    /** The files that suggest a command for tests. */
    public static Set<String> forTests() {
        return TESTS.keySet();
    }

    /** The name of the build system that a file belongs to. */
    public static Optional<String> system(String file) {
        return Optional.ofNullable(SYSTEMS.get(file));
    }

    private static Optional<Suggestion> first(Map<String, String> commands, Predicate<String> isFile) {
        return commands.entrySet().stream()
                .filter(entry -> isFile.test(entry.getKey()))
                .map(entry -> new Suggestion(entry.getValue(), entry.getKey()))
                .findFirst();
    }

    private static Optional<Suggestion> first(
            Map<String, Function<ProjectFiles, String>> commands, ProjectFiles files) {
        return commands.entrySet().stream()
                .filter(entry -> files.has(entry.getKey()))
                .map(entry -> new Suggestion(entry.getValue().apply(files), entry.getKey()))
                .filter(found -> !found.line().isEmpty())
                .findFirst();
    }

    private static String maven(ProjectFiles files, String program) {
        String pom = without(files.text("pom.xml"), "<!--", "-->");
        return called(program, MAVEN_LINTERS, name -> pom.contains("<artifactId>" + name + "</artifactId>"));
    }

    private static String gradle(ProjectFiles files, String program) {
        String build = files.text("build.gradle") + "\n" + files.text("build.gradle.kts");
        String code =
                Pattern.compile("//[^\n]*").matcher(without(build, "/*", "*/")).replaceAll("");
        return called(
                program,
                GRADLE_LINTERS,
                name -> Pattern.compile("\\b" + name + "\\b").matcher(code).find());
    }

    private static String called(String program, Map<String, String> linters, Predicate<String> isThere) {
        List<String> words = new ArrayList<>();
        linters.forEach((name, goal) -> {
            if (isThere.test(name)) {
                words.add(goal);
            }
        });
        return words.isEmpty() ? "" : program + " " + String.join(" ", words);
    }

    /** In linear time, whatever a comment looks like; one without an end reaches to the end. */
    private static String without(String text, String open, String close) {
        StringBuilder rest = new StringBuilder();
        int at = 0;
        for (int from = text.indexOf(open); from >= 0; from = text.indexOf(open, at)) {
            rest.append(text, at, from);
            int end = text.indexOf(close, from + open.length());
            at = end < 0 ? text.length() : end + close.length();
        }
        return rest.append(text.substring(at)).toString();
    }

    private static String javaScriptLint(ProjectFiles files) {
        String script = script(files, "lint");
        if (!script.isEmpty()) {
            return script;
        }
        JsonNode root = packageJson(files);
        if (ESLINT.stream().anyMatch(files::has) || root.has("eslintConfig")) {
            return installed(files, root) + "npx --no-install eslint .";
        }
        return files.has("biome.json") ? installed(files, root) + "npx --no-install biome lint ." : "";
    }

    private static String script(ProjectFiles files, String name) {
        JsonNode root = packageJson(files);
        if (root.path("scripts").path(name).asText().isBlank()) {
            return "";
        }
        String program = files.has("pnpm-lock.yaml") ? "pnpm" : files.has("yarn.lock") ? "yarn" : "npm";
        return installed(files, root) + program + " run " + name;
    }

    /** What a script needs; empty where the package needs nothing. */
    private static String installed(ProjectFiles files, JsonNode root) {
        if (root.path("dependencies").isEmpty() && root.path("devDependencies").isEmpty()) {
            return "";
        }
        return "[ -d node_modules ] || "
                + setup(files::has).map(Suggestion::line).orElse("npm install --no-audit --no-fund --no-package-lock")
                + " && ";
    }

    private static JsonNode packageJson(ProjectFiles files) {
        try {
            return JSON.readTree(files.text("package.json"));
        } catch (JsonProcessingException e) {
            return JSON.createObjectNode();
        }
    }

    private static String target(ProjectFiles files, String... wanted) {
        Set<String> targets = new LinkedHashSet<>();
        files.text("Makefile").lines().forEach(line -> {
            int colon = line.indexOf(':');
            String names = colon > 0 ? line.substring(0, colon) : "";
            // No recipe, no comment, and nothing that sets a variable.
            if (!names.isBlank()
                    && "\t#".indexOf(line.charAt(0)) < 0
                    && !names.contains("=")
                    && !line.startsWith("=", colon + 1)) {
                targets.addAll(List.of(names.strip().split("\\s+", -1)));
            }
        });
        return List.of(wanted).stream()
                .filter(targets::contains)
                .findFirst()
                .map(name -> "make " + name)
                .orElse("");
    }

    private static String pythonLint(ProjectFiles files) {
        List<String> linters = new ArrayList<>();
        if (files.has("ruff.toml") || files.has(".ruff.toml") || hasTable(files, "tool.ruff")) {
            linters.add("ruff check .");
        }
        if (files.has(".flake8")) {
            linters.add("python3 -m flake8");
        }
        if (files.has(".pylintrc") || hasTable(files, "tool.pylint")) {
            linters.add("python3 -m pylint --recursive=y .");
        }
        if (files.has("mypy.ini") || files.has(".mypy.ini") || hasTable(files, "tool.mypy")) {
            linters.add("python3 -m mypy .");
        }
        return String.join(" && ", linters);
    }

    /** Whether {@code pyproject.toml} has a table, or one below it. */
    private static boolean hasTable(ProjectFiles files, String name) {
        return files.text("pyproject.toml")
                .lines()
                .anyMatch(line -> line.startsWith("[" + name + "]") || line.startsWith("[" + name + "."));
    }

    @SafeVarargs
    private static Map<String, String> inOrder(Map.Entry<String, String>... entries) {
        Map<String, String> map = new LinkedHashMap<>();
        for (Map.Entry<String, String> one : entries) {
            map.put(one.getKey(), one.getValue());
        }
        return map;
    }
}
