package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.instructions.internal.Skills;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import io.maestro.record.AuditLog;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.ToolDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A coder that writes instructions of all kinds into its workspace while it plans, and one story after that is merged. None of them
 * is told to anybody before the merge; of what is merged, the next story is told.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InjectedInstructionsTest {
    private static final String SKILL = "---\\nname: %s\\ndescription: %s\\n---\\n%s\\n";

    /** What is planted, by its name. Each command writes {@code canary-<name>.}, and names no other. */
    private static final Map<String, String> PLANTED = new LinkedHashMap<>();

    /** Those that are told after the merge. */
    private static final List<String> MERGED = new ArrayList<>();

    /** Those that cannot be committed, and are taken away before the end. */
    private static final String CLEAN_UP =
            "rm -rf nested pipe sub-git; git checkout -q -f - 2>/dev/null; git replace -d HEAD";

    static {
        merged("edited-agents", "echo %s >>AGENTS.md");
        merged("new-claude", "echo %s >CLAUDE.md");
        merged("new-instructions", "mkdir -p .maestro && echo %s >.maestro/instructions.md");
        merged("dot-claude", "mkdir -p .claude && echo %s >.claude/CLAUDE.md");
        merged("nested-agents", "mkdir -p a/b && echo %s >a/b/AGENTS.md");
        merged("nested-claude", "mkdir -p c && echo %s >c/CLAUDE.md");
        merged("description-of-a-skill", skill(".claude/skills/deploy", "deploy", "%s", "x"));
        merged("new-skill-of-claude", skill(".claude/skills/one", "one", "%s", "x"));
        merged("new-skill-of-agents", skill(".agents/skills/two", "two", "%s", "x"));
        merged("new-skill-of-maestro", skill(".maestro/skills/three", "three", "%s", "x"));
        planted("guide-of-a-skill", "echo %s >>.claude/skills/deploy/SKILL.md");
        planted("script-of-a-skill", "echo %s >.claude/skills/deploy/run.sh");
        planted("new-file-of-a-skill", "echo %s >.claude/skills/deploy/new.txt");
        planted("local-file", "echo %s >CLAUDE.local.md");
        planted("lower-case", "mkdir -p lower && echo %s >lower/agents.md && echo %s >lower/claude.md");
        planted("mixed-case", "mkdir -p mixed && echo %s >mixed/Agents.Md");
        planted("link-to-outside", "mkdir -p l1 && echo %s >../outside.md && ln -s ../../outside.md l1/AGENTS.md");
        planted(
                "absolute-link",
                "mkdir -p l2 && echo %s >../absolute.md && ln -s \"$PWD/../absolute.md\" l2/CLAUDE.md");
        planted("link-to-proc", "mkdir -p l3 && ln -s /proc/self/cmdline l3/AGENTS.md # %s");
        planted("linked-directory", "mkdir -p ../out4 && echo %s >../out4/AGENTS.md && ln -s ../out4 l4");
        planted("link-in-the-workspace", "mkdir -p l5 && echo %s >l5/notes.md && ln -s notes.md l5/AGENTS.md");
        planted("linked-skill", "mkdir -p ../s6 && echo %s >../s6/SKILL.md && ln -s ../../../s6 .claude/skills/linked");
        planted("more-than-1-mb", "mkdir -p big && (yes x | head -c 1000001; echo %s) >big/AGENTS.md");
        planted("no-utf-8", "mkdir -p latin && printf '\\351 %s' >latin/AGENTS.md");
        planted("zeros", "mkdir -p zero && printf '%s\\0' >zero/AGENTS.md");
        planted(
                "bomb-in-a-front-matter",
                "mkdir -p .claude/skills/bomb && printf -- '---\\na: &a [%s]\\nb: &b [*a, *a]\\ndescription: *b\\n---\\n'"
                        + " >.claude/skills/bomb/SKILL.md");
        planted(
                "endless-front-matter",
                "mkdir -p .claude/skills/long && (echo ---; yes x: y | head -300; echo description: %s; echo ---)"
                        + " >.claude/skills/long/SKILL.md");
        planted("path-as-a-name", skill(".claude/skills/path", "../../%s", "d", "x"));
        planted("repository-in-it", "git init -q nested && echo %s >nested/AGENTS.md");
        planted("pipe", "mkdir -p pipe && mkfifo pipe/AGENTS.md && mkdir pipe/%s");
        planted(
                "own-commit",
                "echo %s >AGENTS.md.own && cp AGENTS.md AGENTS.md.was && mv AGENTS.md.own AGENTS.md && git add AGENTS.md &&"
                        + " git commit -q -m own && mv AGENTS.md.was AGENTS.md");
        planted("own-branch-main", "git branch -f main && git update-ref refs/remotes/origin/main HEAD # %s");
        planted("replaced-object", "git replace -f HEAD~1 HEAD # %s");
        planted(
                "filter",
                "echo 'AGENTS.md filter=own' >.gitattributes && git config filter.own.clean 'echo %s' && git config"
                        + " filter.own.smudge 'echo %s'");
        planted("settings-of-a-cli", "echo '{\"instructions\":\"%s\"}' >.claude/settings.json");
        planted(
                "rules-of-others",
                "mkdir -p .cursor/rules .github && echo %s | tee .cursorrules GEMINI.md"
                        + " .cursor/rules/x.mdc >.github/copilot-instructions.md");
    }

    private Path directory;

    private TestRepository repository;
    private final List<LlmRequest> before = new ArrayList<>();
    private final List<LlmRequest> after = new ArrayList<>();
    private List<AuditLog.Message> messages = List.of();
    private String base = "";

    private static String skill(String folder, String name, String description, String text) {
        return "mkdir -p " + folder + " && printf -- '" + SKILL.formatted(name, description, text) + "' >" + folder
                + "/SKILL.md";
    }

    private static void planted(String name, String command) {
        PLANTED.put(name, command.replace("%s", "canary-" + name + "."));
    }

    private static void merged(String name, String command) {
        planted(name, command);
        MERGED.add(name);
    }

    static Stream<String> all() {
        return Stream.concat(PLANTED.keySet().stream(), Stream.of("another-branch", "pushed-meanwhile"));
    }

    private static Reply approved() {
        return Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "Good."));
    }

    private MaestroBuilder builder(ScriptedLlm coder, ScriptedLlm architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }

    private static ScriptedLlm architect() {
        return ScriptedLlm.builder("architect").repeat(approved()).build();
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("Do it.").build();
    }

    @BeforeAll
    void twoStories(@TempDir Path given) throws Exception {
        directory = given;
        repository = TestRepository.create(
                directory,
                Map.of(
                        "AGENTS.md",
                        "rule-of-all",
                        "web/AGENTS.md",
                        "rule-of-web",
                        ".claude/skills/deploy/SKILL.md",
                        "---\nname: deploy\ndescription: how-to-deploy\n---\nguide-of-deploy\n",
                        ".claude/skills/deploy/run.sh",
                        "script-of-deploy"));
        base = repository.git("rev-parse", "main");
        repository.commit("elsewhere", Map.of("AGENTS.md", "canary-another-branch."));
        repository.git("update-ref", "refs/heads/elsewhere", "main");
        repository.git("update-ref", "refs/heads/main", base);
        StringBuilder plant = new StringBuilder("git config user.name x; git config user.email x@x\n");
        PLANTED.values()
                .forEach(command -> plant.append("(")
                        .append(command)
                        .append("\n) || echo failed: '")
                        .append(command.replace("'", ""))
                        .append("'\n"));
        plant.append("rm web/AGENTS.md");
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "1",
                        turns -> turns.turn(Turn.in("PLANNING")
                                        .reply(Reply.toolCall("shell", Map.of("cmd", plant.toString()))))
                                .turn(request -> {
                                    assertThat(last(request))
                                            .startsWith("exit code 0")
                                            .doesNotContain("failed: ");
                                    repository.commit(
                                            "meanwhile", Map.of("docs/AGENTS.md", "canary-pushed-meanwhile."));
                                    return Reply.toolCall("submit_plan", Map.of("plan", "p"));
                                })
                                .turn(Turn.in("CODING")
                                        .reply(Reply.toolCall(Skills.TOOL, Map.of("name", "deploy"))
                                                .andToolCall(Skills.TOOL, Map.of("name", "deploy", "path", "run.sh"))
                                                .andToolCall(Skills.TOOL, Map.of("name", "deploy", "path", "new.txt"))
                                                .andToolCall(Skills.TOOL, Map.of("name", "one"))
                                                .andToolCall(Skills.TOOL, Map.of("name", "linked"))))
                                .turn(Turn.expecting("guide-of-deploy")
                                        .expecting("script-of-deploy")
                                        .reply(Reply.toolCall("shell", Map.of("cmd", CLEAN_UP + "; true"))))
                                .turn(Turn.any().reply(Reply.toolCall("done", Map.of("summary", "s")))))
                .story(
                        "2",
                        turns -> turns.turn(
                                Turn.in("PLANNING").reply(Reply.toolCall("story_complete", Map.of("reason", "r")))))
                .build();
        ScriptedLlm architect = architect();
        try (Maestro maestro = builder(coder, architect).build()) {
            assertThat(maestro.run(story("1")))
                    .satisfies(result ->
                            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED));
            before.addAll(coder.requests());
            before.addAll(architect.requests());
            maestro.run(story("2"));
            after.addAll(coder.requests());
            after.addAll(architect.requests());
            after.removeAll(before);
            messages = maestro.auditLog().messages("1");
        }
        coder.assertFinished();
    }

    private static String last(LlmRequest request) {
        LlmContent content =
                request.messages().get(request.messages().size() - 1).content().get(0);
        return ((LlmContent.ToolReply) content).text();
    }

    @ParameterizedTest
    @MethodSource("all")
    void nothingIsToldBeforeTheMerge(String name) {
        assertThat(before).hasSizeGreaterThan(7);
        for (LlmRequest request : before) {
            assertThat(request.system()).doesNotContain("canary-" + name + ".");
            request.messages().stream()
                    .flatMap(message -> message.content().stream())
                    .filter(LlmContent.ToolReply.class::isInstance)
                    .forEach(reply ->
                            assertThat(((LlmContent.ToolReply) reply).text()).doesNotContain("canary-" + name + "."));
        }
    }

    @Test
    void whatWasThereIsToldToCoderAndArchitectAllTheTime() {
        assertThat(before).extracting(request -> request.origin().state()).contains("PLANNING", "CODING", "ANSWERING");
        assertThat(before).allSatisfy(request -> {
            assertThat(request.system())
                    .contains(
                            "at commit " + base.substring(0, 12),
                            "rule-of-all",
                            "`web/AGENTS.md`, for what is below `web/`",
                            "rule-of-web",
                            "- `deploy`: how-to-deploy");
            assertThat(request.tools()).extracting(ToolDefinition::name).contains(Skills.TOOL);
        });
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsMergedIsToldAfterIt(String name) {
        boolean told = MERGED.contains(name) || name.equals("pushed-meanwhile");
        assertThat(after)
                .hasSizeGreaterThan(1)
                .allSatisfy(request -> assertThat(request.system().contains("canary-" + name + "."))
                        .isEqualTo(told));
    }

    @Test
    void whatIsDeletedHoldsUntilItIsMerged() {
        assertThat(after).allSatisfy(request -> assertThat(request.system()).doesNotContain("rule-of-web"));
    }

    @Test
    void eachConversationBeginsWithHashesInTheRecord() {
        assertThat(messages)
                .filteredOn(row -> row.role().equals("note"))
                .extracting(AuditLog.Message::state)
                .containsExactly("PLANNING", "ANSWERING", "CODING");
        assertThat(messages)
                .filteredOn(row -> row.role().equals("note"))
                .allSatisfy(row -> assertThat(row.content())
                        .contains(
                                "of commit " + base,
                                "AGENTS.md` blob " + repository.git("rev-parse", base + ":AGENTS.md"))
                        .containsPattern("web/AGENTS\\.md` blob [0-9a-f]{40} sha256 [0-9a-f]{64}"));
    }

    @Test
    void aHostCanSwitchItOff() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("story_complete", Map.of("reason", "r")))
                .build();
        ScriptedLlm architect = architect();
        try (Maestro maestro = builder(coder, architect)
                .prompts(prompts -> prompts.repositoryInstructions(false))
                .build()) {
            maestro.run(story("3"));
        }
        List<LlmRequest> all = new ArrayList<>(coder.requests());
        all.addAll(architect.requests());
        assertThat(all).hasSize(2).allSatisfy(request -> {
            assertThat(request.system()).doesNotContain("rule-of-all", "instructions");
            assertThat(request.tools()).extracting(ToolDefinition::name).doesNotContain(Skills.TOOL);
        });
    }

    @Test
    void aTemplateFromBeforeStillWorks() throws Exception {
        Path templates = Files.createDirectories(directory.resolve("templates"));
        Files.writeString(templates.resolve("coder-planning.mustache"), "{{agentId}} {{branch}} {{target}}\n{{tools}}");
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("story_complete", Map.of("reason", "r")))
                .build();
        try (Maestro maestro = builder(coder, architect())
                .prompts(prompts -> prompts.directory(templates))
                .build()) {
            maestro.run(story("4"));
        }
        assertThat(coder.requests().get(0).system())
                .startsWith("coder-001 maestro/story-4 main")
                .doesNotContain("rule-of-all");
    }
}
