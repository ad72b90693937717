package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentTask;
import io.maestro.record.AuditLog;
import io.maestro.record.CallQuery;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of a project as a host sets them, in a story and for an agent alone. */
@Timeout(120)
class CommandSettingsTest {
    @TempDir
    Path directory;

    private static Reply call(String tool) {
        return Reply.toolCall(tool, Map.of());
    }

    private static Turn after(String expected, Reply reply) {
        return Turn.expecting(expected).reply(reply);
    }

    @Full("a whole story; its parts are tried in the short tier")
    @Test
    void aCoderBuildsAndLintsAndAFailureIsOneInTheRecord() {
        TestRepository repository = TestRepository.create(directory, Map.of("Makefile", "build:\n\techo made\n"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(call("build"))
                .turn(after("build passed: make build", call("lint")))
                .turn(after("lint failed with exit code 3: exit 3", call("backend_info")))
                .turn(after(
                        "- lint: exit 3 (set by lint.command)", Reply.toolCall("done", Map.of("summary", "nothing"))))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .tools(tools -> tools.discover(false))
                .config("{\"lint\": {\"command\": \"exit 3\"}, \"tests\": {\"command\": \"true\"}}")
                .build()) {
            maestro.run(Story.builder("1", "Look").content("x").express().build());
            coder.assertFinished();
            assertThat(maestro.auditLog()
                            .calls(CallQuery.newest()
                                    .outcome(CallQuery.Outcome.FAILED)
                                    .build())
                            .rows())
                    .extracting(AuditLog.ToolExecution::tool, AuditLog.ToolExecution::exitCode)
                    .containsExactly(tuple("lint", 3));
        }
    }

    @Test
    void anAgentAloneHasCommandsOfItsOwn() {
        ScriptedLlm model = ScriptedLlm.builder("model")
                .turn(call("build"))
                .turn(after("build passed: echo b", call("lint")))
                .turn(after("lint passed: echo l", call("test")))
                .turn(after("tests passed: echo t", Reply.toolCall("done", Map.of("summary", "made"))))
                .build();
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(model)
                .tools(tools -> tools.discover(false))
                .commands(commands -> commands.build("echo b"))
                .commands(commands -> commands.lint("echo l"))
                .commands(commands -> commands.test("echo t"))
                .build()) {
            assertThat(agent.run(AgentTask.of("Build it.")).text()).isEqualTo("made");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Maestro.agent().commands(commands -> commands.build(" ")))
                .withMessageStartingWith("the build command must not be blank: give a command, or leave it out");
        assertThatIllegalArgumentException().isThrownBy(() -> Maestro.agent().commands(commands -> commands.lint("")));
    }

    @Test
    void aCommandThatRunsNothingIsRefusedWhereverItIsSet() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Maestro.builder().testCommand("# only a comment"))
                .withMessageContainingAll("the test command", "runs nothing", "leave it out");
        for (String key : new String[] {"setup", "build", "lint", "tests"}) {
            MaestroBuilder builder = Maestro.builder()
                    .projectDirectory(directory.resolve("project"))
                    .repository("file:///none")
                    .coderModel(ScriptedLlm.builder("coder").build())
                    .architect(new Approving())
                    .config("{\"" + key + "\": {\"command\": \"# nothing\"}}");
            assertThatThrownBy(builder::build)
                    .hasMessageContaining(key + ".command")
                    .hasMessageContaining("leave it out");
        }
    }

    @Test
    void whatRunsInTheBackgroundEndsBeforeTheWorkIsTested() {
        TestRepository repository = TestRepository.create(directory, Map.of("a.txt", "a"));
        Path pid = directory.resolve("pid");
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall(
                        "shell",
                        Map.of(
                                "cmd",
                                "echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; exec sleep 1000",
                                "background",
                                true)))
                .turn(after(
                        "job-1 runs",
                        Reply.toolCall(
                                "shell",
                                Map.of("cmd", "while [ ! -e " + pid + " ]; do sleep 0.02; done; echo b > b.txt"))))
                .turn(after("exit code 0", Reply.toolCall("done", Map.of("summary", "made"))))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .tools(tools -> tools.discover(false))
                .config("{\"tests\": {\"command\": \"! kill -0 $(cat " + pid + ")\"}}")
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Serve").content("x").express().build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
        }
    }
}
