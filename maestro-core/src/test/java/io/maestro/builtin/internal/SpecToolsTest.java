package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.story.StoryType;
import io.maestro.story.internal.StoryDraft;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the architect can say with its tools, and what it is told when it gets something wrong. */
class SpecToolsTest {
    @TempDir
    Path directory;

    private ToolBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private ToolResult submit(Object... stories) {
        return bench.callAs(ToolAudience.ARCHITECT_SCOPING, "submit_stories", "requirements", List.of(stories));
    }

    private ToolResult edit(Object... namesAndValues) {
        return bench.callAs(ToolAudience.ARCHITECT_EDITING, "story_edit", namesAndValues);
    }

    private static Map<String, Object> story(String title, String... dependencies) {
        Map<String, Object> story = new LinkedHashMap<>();
        story.put("title", title);
        story.put("description", "what to do");
        story.put("acceptance_criteria", List.of("it works"));
        story.put("dependencies", List.of(dependencies));
        return story;
    }

    private static Map<String, Object> with(Map<String, Object> story, String name, Object value) {
        story.put(name, value);
        return story;
    }

    private static void refused(ToolResult result, String... lines) {
        assertThat(result.isError()).isTrue();
        assertThat(result.signal()).isEmpty();
        assertThat(result.text().lines()).containsExactly(lines);
    }

    @Test
    void storiesComeThroughWithAllThatBelongsToThem() {
        Map<String, Object> second = with(with(story("B ", " A", "A"), "story_type", "devops"), "express", true);
        ToolSignal signal = submit(story("A"), second).signal().orElseThrow();

        assertThat(signal.name()).isEqualTo("submit_stories");
        assertThat(StoryDraft.submitted(signal.data()))
                .containsExactly(
                        new StoryDraft("A", "what to do", List.of("it works"), List.of(), StoryType.APP, false),
                        new StoryDraft("B", "what to do", List.of("it works"), List.of("A"), StoryType.DEVOPS, true));
    }

    @Test
    void theCriteriaAreASectionOfTheContent() {
        StoryDraft draft = new StoryDraft("T", "Do it.", List.of("one", "two\nlines"), List.of(), StoryType.APP, false);
        assertThat(draft.content()).isEqualTo("""
                        Do it.

                        ## Acceptance criteria

                        - one
                        - two
                          lines
                        """);
    }

    @Test
    void everyFaultIsALine() {
        refused(
                submit(
                        with(story("A", "A", "Z"), "acceptance_criteria", List.of("ok", " ")),
                        story("A"),
                        with(story("two\nlines"), "description", " \n"),
                        story(" \t")),
                "$.requirements[0].acceptance_criteria[1]: must not be blank",
                "$.requirements[1].title: 'A' is the title of $.requirements[0] already; each story needs one of its own",
                "$.requirements[2].title: must be one line without control characters",
                "$.requirements[2].description: must not be blank",
                "$.requirements[3].title: must not be blank",
                "$.requirements[0].dependencies: 'A' cannot depend on itself",
                "$.requirements[0].dependencies: no story of this call has the title 'Z'; there are ['A']");
    }

    @Test
    void circlesAreNamed() {
        refused(
                submit(story("start", "A"), story("A", "B"), story("B", "C"), story("C", "A"), story("D", "start")),
                "$.requirements: the dependencies go in a circle: 'A' -> 'B' -> 'C' -> 'A'");
        refused(
                submit(story("A", "B"), story("B", "A"), story("C", "D"), story("D", "C")),
                "$.requirements: the dependencies go in a circle: 'A' -> 'B' -> 'A'",
                "$.requirements: the dependencies go in a circle: 'C' -> 'D' -> 'C'");
    }

    @Test
    void aDiamondIsNoCircle() {
        assertThat(submit(story("top", "left", "right"), story("left", "base"), story("right", "base"), story("base"))
                        .signal())
                .isPresent();
    }

    @Test
    void theSchemaBoundsWhatIsSubmitted() {
        assertThat(bench.callAs(ToolAudience.ARCHITECT_SCOPING, "submit_stories")
                        .text())
                .contains("$.requirements: is missing but required");
        assertThat(submit().isError()).isTrue();
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 51; i++) {
            many.add(story("story " + i));
        }
        assertThat(submit(many.toArray()).text()).contains("must have at most 50 items, has 51");
        assertThat(submit(many.subList(0, 50).toArray()).signal()).isPresent();
        assertThat(submit(with(story("A"), "acceptance_criteria", List.of())).text())
                .contains("$.requirements[0].acceptance_criteria: must have at least 1 items, has 0");
        assertThat(submit(with(story("A"), "story_type", "other")).isError()).isTrue();
        assertThat(submit(story(String.join("", Collections.nCopies(121, "x")))).isError())
                .isTrue();
    }

    @Test
    void aStoryIsRewritten() {
        ToolSignal signal = edit("description", "new", "acceptance_criteria", List.of("works"))
                .signal()
                .orElseThrow();
        assertThat(StoryDraft.edited(signal.data()).newTitle()).isEmpty();
        assertThat(StoryDraft.edited(signal.data()).content()).isEqualTo("new\n\n## Acceptance criteria\n\n- works\n");
        assertThat(StoryDraft.edited(edit("title", "T", "description", "new", "acceptance_criteria", List.of("works"))
                                .signal()
                                .orElseThrow()
                                .data())
                        .newTitle())
                .contains("T");
        refused(
                edit("title", "a\nb", "description", " ", "acceptance_criteria", List.of("\t")),
                "$.title: must be one line without control characters",
                "$.description: must not be blank",
                "$.acceptance_criteria[0]: must not be blank");
        refused(
                edit("title", " ", "description", "d", "acceptance_criteria", List.of("c")),
                "$.title: must not be blank");
    }

    @Test
    void aStoryIsGivenUpForAReason() {
        ToolResult result = bench.callAs(ToolAudience.ARCHITECT_EDITING, "story_give_up", "reason", "too hard");
        assertThat(result.signal().orElseThrow())
                .isEqualTo(new ToolSignal("story_give_up", Map.of("reason", "too hard")));
        refused(
                bench.callAs(ToolAudience.ARCHITECT_EDITING, "story_give_up", "reason", " "),
                "$.reason: must not be blank");
    }

    @Test
    void eachToolIsOfferedInItsStateOnly() {
        Map<ToolAudience, List<String>> offered = new LinkedHashMap<>();
        for (ToolAudience audience : ToolAudience.values()) {
            offered.put(
                    audience,
                    BuiltinTools.all().stream()
                            .map(factory -> factory.definition())
                            .filter(tool -> tool.audiences().contains(audience))
                            .map(tool -> tool.name())
                            .toList());
        }
        assertThat(offered.get(ToolAudience.ARCHITECT_SCOPING))
                .containsExactlyInAnyOrder(
                        "chat_post",
                        "chat_read",
                        "read_file",
                        "list_files",
                        "search_files",
                        "read_skill",
                        "backend_info",
                        "submit_stories");
        assertThat(offered.get(ToolAudience.ARCHITECT_EDITING))
                .containsExactlyInAnyOrder(
                        "chat_post",
                        "chat_read",
                        "read_file",
                        "list_files",
                        "search_files",
                        "read_skill",
                        "backend_info",
                        "story_edit",
                        "story_give_up");
        assertThat(offered.get(ToolAudience.ARCHITECT)).doesNotContain("submit_stories", "story_edit", "story_give_up");
    }

    /** The tool of a jar may send the same signal with anything in it. */
    @Test
    void aSignalThatTheToolWouldNotSendIsNoSubmission() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoryDraft.submitted(Map.of("requirements", List.of(story("A", "A")))))
                .withMessage("$.requirements[0].dependencies: 'A' cannot depend on itself");
        assertThatIllegalArgumentException().isThrownBy(() -> StoryDraft.submitted(Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> StoryDraft.edited(Map.of("description", 1)));
    }
}
