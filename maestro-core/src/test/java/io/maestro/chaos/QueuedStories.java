package io.maestro.chaos;

import static io.maestro.chaos.RolePlay.call;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.llm.LlmClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Twelve stories that have nothing to do with each other, and whose tests take their time: most of them wait to be merged. */
final class QueuedStories {
    static final List<String> IDS =
            IntStream.rangeClosed(1, 12).mapToObj(number -> "queued-" + number).toList();

    static final String TESTS = "sleep 0.3; ! grep -L good *.txt | grep .";

    /** How many of them a host works on at once. */
    private static final int CODERS = 6;

    private QueuedStories() {}

    static TestRepository repository(Path directory) {
        return TestRepository.create(directory, Map.of("base.txt", "good"));
    }

    static MaestroBuilder maestro(Path directory) {
        return Maestro.builder()
                .repository(TestRepository.existing(directory).url())
                .maxCoders(CODERS)
                .testCommand(TESTS)
                .tools(tools -> tools.discover(false));
    }

    static LlmClient coder() {
        return new RolePlay("coder", request -> {
            String file = request.origin().storyId() + ".txt";
            return List.of(
                    call("write_file", "path", file, "content", "good"), call("done", "summary", "wrote " + file));
        });
    }

    static List<Submission<StoryResult>> submit(Maestro maestro) {
        return IDS.stream()
                .map(id -> Story.builder(id, id).content("Build it").express().build())
                .map(maestro::submit)
                .toList();
    }
}
