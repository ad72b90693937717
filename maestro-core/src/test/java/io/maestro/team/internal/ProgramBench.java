package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.llm.LlmClient;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A team whose coders are programs, and an architect who approves. */
abstract class ProgramBench {
    @TempDir
    Path directory;

    TeamBench bench;
    final RecordingEnvironments environments = new RecordingEnvironments();
    final List<Architect.Kind> asked = new ArrayList<>();

    @BeforeEach
    void bench() {
        bench = new TeamBench(directory);
        bench.environments = environments;
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "architect";
            }

            @Override
            public Reply reply(Request request) {
                asked.add(request.kind());
                return new Reply(request.id(), Decision.APPROVED, request.kind() == Kind.QUESTION ? "very good" : "");
            }
        };
    }

    ScriptedCoderMode scripted(LlmClient model) {
        ScriptedCoderMode mode = new ScriptedCoderMode(model);
        bench.mode = mode;
        return mode;
    }

    ScriptedCoderMode scripted(Reply... replies) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder");
        for (Reply reply : replies) {
            script.turn(reply);
        }
        return scripted(script.build());
    }

    Path subdirectory(String name) {
        try {
            return Files.createDirectory(directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Reply write(String content) {
        return Reply.toolCall("write_file", Map.of("path", "a.txt", "content", content));
    }

    static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "wrote it"));
    }

    static Reply ask() {
        return Reply.toolCall("ask_question", Map.of("question", "how good?"));
    }

    StoryResult merged(Story story) {
        try (TeamBench.Life life = bench.life()) {
            StoryResult result = life.run(story);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            return result;
        }
    }

    ScriptedCoderMode firstWithWorkThatCannotBeCommitted() {
        return scripted(
                Reply.toolCall(
                        "shell",
                        Map.of(
                                "cmd",
                                "git init -q sub && cd sub && git -c user.name=a -c user.email=b@c"
                                        + " commit -q --allow-empty -m x")),
                done(),
                Reply.toolCall("shell", Map.of("cmd", "rm -rf sub; echo good > a.txt")),
                done());
    }

    static String session(Store store, CoderState state) {
        return StoryProgress.fromJson(store.story("042").orElseThrow().data())
                .sessions()
                .in(state)
                .orElse(null);
    }
}
