package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(90)
class CancelledElsewhereTest {
    @TempDir
    Path directory;

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("write").express().build();
    }

    /** Another process's coder-001 had worked on it, in a directory that is not here. */
    @Test
    void cancellingAStoryOfAnotherProcessLeavesTheWorkspaceOfThatNameOpen() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("earlier", repository.url(), Instant.now(), 1, null));
            store.saveStory(new AuditLog.StoryRecord(
                    "far",
                    "earlier",
                    "Story far",
                    "write",
                    "APP",
                    true,
                    CoderState.CODING,
                    1,
                    "coder-001",
                    "maestro/story-far",
                    null,
                    null,
                    "{\"workspaceId\":\"elsewhere\"}",
                    null,
                    List.of(),
                    Instant.now()));
        }
        AtomicReference<Maestro> own = new AtomicReference<>();
        ToolFactory probe = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("probe")
                        .description("Cancels the other story")
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    Set<String> before =
                            context.service(WorkspaceView.class).orElseThrow().coders();
                    Submission<StoryResult> far = own.get().submit(story("far"));
                    far.cancel();
                    try {
                        far.future().get(60, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        return ToolResult.error("not ended: " + e);
                    }
                    Set<String> after =
                            context.service(WorkspaceView.class).orElseThrow().coders();
                    return ToolResult.ok(before + " and then " + after);
                };
            }
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "near",
                        script -> script.turn(Reply.toolCall("probe", Map.of()))
                                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b")))
                                .turn(Reply.toolCall("done", Map.of("summary", "done"))))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .tool(probe)
                .maxCoders(1)
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build()) {
            own.set(maestro);
            assertThat(maestro.run(story("near")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(maestro.auditLog().toolExecutions("near").get(0).result())
                    .contains("[coder-001] and then [coder-001]");
        }
    }
}
