package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.instructions.internal.Instructions;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.instructions.internal.Skills;
import io.maestro.instructions.internal.TestCommits;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code read_skill}, with what a commit holds and what stands around it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadSkillTest {
    private static final String CANARY = "canary-5e70b1";

    private Path directory;

    private ToolBench bench;
    private String commit;

    @BeforeAll
    void skill(@TempDir Path given) throws Exception {
        directory = given;
        TestCommits commits = TestCommits.in(directory);
        Files.writeString(directory.resolve("outside.md"), CANARY);
        commit = commits.commit()
                .skill(".claude/skills/deploy", "How to deploy.")
                .file(".claude/skills/deploy/scripts/run.sh", "echo pw=hunter2\n")
                .file(".claude/skills/deploy/long.txt", "line\n".repeat(2_001))
                .bytes(".claude/skills/deploy/image.png", new byte[] {(byte) 0x89, 'P', 'N', 'G'})
                .file(".claude/skills/deploy/\u00e4.txt", "umlaut")
                .link(
                        ".claude/skills/deploy/link",
                        directory.resolve("outside.md").toString())
                .link(".claude/skills/deploy/up", "../../..")
                .submodule(".claude/skills/deploy/module")
                .file(".claude/skills/other/SKILL.md", "---\nname: other\n---\n" + CANARY)
                .file("secret.txt", CANARY)
                .make();
        Instructions told = new RepositoryInstructions(commits.git(), TestCommits.REDACTOR, true, 150_000).at(commit);
        bench = new ToolBench(directory);
        bench.services.put(Skills.class, told.skills());
        // What an agent has made of it in its workspace.
        bench.file(".claude/skills/deploy/SKILL.md", CANARY);
        bench.file(".claude/skills/deploy/scripts/run.sh", CANARY);
        bench.file(".claude/skills/deploy/new.txt", CANARY);
        bench.file(".claude/skills/planted/SKILL.md", "---\nname: planted\ndescription: " + CANARY + "\n---\n");
    }

    @AfterAll
    void close() {
        bench.close();
    }

    @Test
    void theGuideComesFirstAndNamesTheOtherFiles() {
        ToolResult guide = bench.call(Skills.TOOL, "name", "deploy");
        assertThat(guide.isError()).isFalse();
        assertThat(guide.text())
                .isEqualTo(
                        "---\ndescription: How to deploy.\n---\nThe guide.\n"
                                + "\n[The skill has other files, which `path` reads: image.png, long.txt, \u00e4.txt, scripts/run.sh]");
        assertThat(bench.callAs(ToolAudience.ARCHITECT_SCOPING, Skills.TOOL, "name", "deploy")
                        .text())
                .isEqualTo(guide.text());
    }

    @ParameterizedTest
    @CsvSource({"scripts/run.sh", "./scripts//run.sh", "scripts/./run.sh"})
    void aScriptIsReadAndNotRun(String path) {
        assertThat(bench.call(Skills.TOOL, "name", "deploy", "path", path).text())
                .isEqualTo("echo pw=[REDACTED:password]\n");
    }

    @Test
    void aLongFileHasPages() {
        assertThat(bench.call(Skills.TOOL, "name", "deploy", "path", "long.txt").text())
                .isEqualTo("line\n".repeat(2_000) + "[the file goes on with line 2001]");
        assertThat(bench.call(Skills.TOOL, "name", "deploy", "path", "long.txt", "first_line", 2_001)
                        .text())
                .isEqualTo("line\n");
        assertThat(bench.call(Skills.TOOL, "name", "deploy", "path", "\u00e4.txt")
                        .text())
                .isEqualTo("umlaut");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../other/SKILL.md",
                "scripts/../../other/SKILL.md",
                "../../../secret.txt",
                "/etc/passwd",
                "/secret.txt",
                "..",
                "scripts/..",
                "up/secret.txt",
                "up",
                "link",
                "module",
                "module/x",
                "scripts",
                ".",
                "",
                "scripts/run.sh/",
                "scripts/run.sh/x",
                "Scripts/run.sh",
                "skill.md",
                "scripts\\run.sh",
                "..\\other\\SKILL.md",
                "%2e%2e/other/SKILL.md",
                "new.txt",
                ".git/config",
                "image.png",
                "a\0b",
                "scripts/run.sh\n"
            })
    void aPathLeadsNowhereElse(String path) {
        boolean file = path.equals("scripts/run.sh/");
        ToolResult result = bench.call(Skills.TOOL, "name", "deploy", "path", path);
        assertThat(result.isError()).as(result.text()).isEqualTo(!file);
        assertThat(result.text()).doesNotContain(CANARY, "root:").hasSizeLessThan(300);
    }

    @Test
    void aLongPathIsRefusedInFewWords() {
        assertThat(bench.call(Skills.TOOL, "name", "deploy", "path", "a/".repeat(50_000) + "b")
                        .text())
                .hasSizeLessThan(1_000);
        assertThat(bench.call(Skills.TOOL, "name", "x".repeat(50_000)).text()).hasSizeLessThan(1_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"planted", "other", "Deploy", "deploy/scripts", "../deploy", ".claude/skills/deploy"})
    void thereIsNoOtherSkill(String name) {
        ToolResult result = bench.call(Skills.TOOL, "name", name);
        assertThat(result.isError()).isTrue();
        assertThat(result.text()).isEqualTo("there is no skill '" + name + "'; there are deploy");
    }

    @Test
    void whereThereIsNoneTheAnswerSaysSo() {
        Object skills = bench.services.remove(Skills.class);
        assertThat(bench.call(Skills.TOOL, "name", "deploy").text()).isEqualTo("the repository has no skills");
        bench.services.put(Skills.class, skills);
    }
}
