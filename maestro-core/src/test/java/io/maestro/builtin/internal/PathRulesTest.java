package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.testing.Campaign;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy decides on the very path that a file tool opens. */
class PathRulesTest {
    private static final ToolPolicy DENIES = ToolPolicy.byRules(List.of(
            ToolRule.of("*").argumentGlob("path", ".github/**").deny("planted no"),
            ToolRule.of("*").argumentGlob("path", "**/*.sql").deny("planted no"),
            ToolRule.of("*").argument("path", "^docs/").deny("planted no")));
    private static final ToolPolicy ALLOWS = ToolPolicy.byRules(List.of(
            ToolRule.of("*").argumentGlob("path", "src/**").allow(),
            ToolRule.of("*").deny("planted no")));

    @TempDir
    Path directory;

    private static List<String> files(ToolBench bench) throws IOException {
        try (Stream<Path> all = Files.walk(bench.workspace)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> bench.workspace.relativize(file).toString())
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "./.github/x.yml",
                "no/../.github/x.yml",
                ".//.github/x.yml",
                ".github//x.yml",
                ".github/./x.yml",
                "./././docs/x",
                "docs//x",
                "db.sql/",
                "db/a.sql/.",
                "db/a.sql/b/..",
                "db/../db/a.sql//"
            })
    void noSpellingPassesARuleThatDenies(String path) throws IOException {
        try (ToolBench bench = new ToolBench(directory, DENIES)) {
            for (ToolResult result : List.of(
                    bench.call("write_file", "path", path, "content", "x"),
                    bench.call("edit_file", "path", path, "old", "x", "new", "y"),
                    bench.call("read_file", "path", path),
                    bench.call("search_files", "pattern", "x", "path", path),
                    bench.call("get_diff", "path", path))) {
                assertThat(result.text()).contains("planted no");
            }
            assertThat(files(bench)).isEmpty();
        }
    }

    /** Against a model of one line: which files there may be. */
    @Test
    void noPathOfRandomPartsPassesARule() throws IOException {
        Random random = new Random(Campaign.seed("paths"));
        List<String> parts = List.of("", ".", "..", "a", "src", "docs", ".github", "b.sql", "\ud800", "Ä");
        try (ToolBench denies = new ToolBench(directory.resolve("denies"), DENIES);
                ToolBench allows = new ToolBench(directory.resolve("allows"), ALLOWS)) {
            for (int i = 0; i < Campaign.number(300); i++) {
                String path = random.ints(1 + random.nextInt(6), 0, parts.size())
                        .mapToObj(parts::get)
                        .collect(Collectors.joining("/"));
                for (ToolBench bench : List.of(denies, allows)) {
                    ToolResult unused = bench.call("write_file", "path", path, "content", "x");
                }
            }
            assertThat(files(denies))
                    .isNotEmpty()
                    .noneMatch(
                            file -> file.startsWith(".github/") || file.startsWith("docs/") || file.endsWith(".sql"));
            assertThat(files(allows)).isNotEmpty().allMatch(file -> file.startsWith("src/"));
        }
    }

    @ParameterizedTest
    @CsvSource({"./src//a.txt, src/a.txt", "x/../src/a.txt/, src/a.txt", "../a, ../a", "a\ud800b, a?b"})
    void policyToolAndRecordSeeOneText(String path, String canonical) throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        ToolPolicy looks = (invocation, tool, arguments) -> {
            seen.add(arguments.string("path") + " " + invocation.input());
            return ToolDecision.allow();
        };
        try (ToolBench bench = new ToolBench(directory, looks)) {
            String answer =
                    bench.call("write_file", "path", path, "content", "x").text();
            assertThat(answer).contains(canonical);
            String recorded = "{\"path\":\"" + canonical + "\",\"content\":\"x\"}";
            assertThat(seen).containsExactly(canonical + " " + recorded);
            assertThat(bench.record.last().parameters()).isEqualTo(recorded);
        }
    }

    @Test
    void whatAPolicyMakesOfAPathIsCanonicalToo() throws IOException {
        ToolPolicy changes =
                (invocation, tool, arguments) -> arguments.string("path").equals("a")
                        ? ToolDecision.change(java.util.Map.of("path", "./.github/x", "content", "x"))
                        : ToolDecision.allow();
        try (ToolBench bench = new ToolBench(directory, changes, DENIES)) {
            assertThat(bench.call("write_file", "path", "a", "content", "x").text())
                    .contains("planted no");
            assertThat(files(bench)).isEmpty();
        }
    }

    @Test
    void aLinkInTheWorkspaceLeadsPastNoRule() throws IOException {
        try (ToolBench bench = new ToolBench(directory, DENIES)) {
            Files.createDirectories(bench.workspace.resolve(".github"));
            Files.createSymbolicLink(bench.workspace.resolve("link"), Path.of(".github"));
            assertThat(bench.call("write_file", "path", "link/x.yml", "content", "x")
                            .text())
                    .contains("is a symbolic link");
            assertThat(files(bench)).isEmpty();
        }
    }
}
