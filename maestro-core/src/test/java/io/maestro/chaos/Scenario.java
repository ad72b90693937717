package io.maestro.chaos;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.llm.LlmClient;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import java.nio.file.Path;
import java.util.List;

/** The stories that hosts have built. */
enum Scenario {
    SIX(
            SixStories.TESTS,
            List.of("extra-1", "extra-2", "extra-3", "six-01", "six-02", "six-03", "six-04", "six-06"),
            SixStories.coder()) {
        @Override
        TestRepository repository(Path directory) {
            return SixStories.repository(directory);
        }

        @Override
        MaestroBuilder maestro(Path directory) {
            return SixStories.maestro(directory, TestRepository.existing(directory));
        }

        @Override
        void work(Maestro maestro) {
            List<Submission<StoryResult>> extras =
                    SixStories.EXTRAS.stream().map(maestro::submit).toList();
            SpecResult result = maestro.runSpec(SixStories.SPEC);
            System.out.println(result.toMarkdown());
            extras.forEach(story -> System.out.println(
                    "result " + story.id() + " " + story.await().outcome()));
            System.out.println("outcome " + result.outcome());
        }
    },
    QUEUED(QueuedStories.TESTS, QueuedStories.IDS, QueuedStories.coder()) {
        @Override
        TestRepository repository(Path directory) {
            return QueuedStories.repository(directory);
        }

        @Override
        MaestroBuilder maestro(Path directory) {
            return QueuedStories.maestro(directory);
        }

        @Override
        void work(Maestro maestro) {
            QueuedStories.submit(maestro)
                    .forEach(story -> System.out.println(
                            "result " + story.id() + " " + story.await().outcome()));
            System.out.println("outcome COMPLETED");
        }
    };

    /** A line for {@code sh}. */
    final String tests;

    /** The stories that are to be merged, each once. */
    final List<String> merged;

    final LlmClient coder;

    Scenario(String tests, List<String> merged, LlmClient coder) {
        this.tests = tests;
        this.merged = merged;
        this.coder = coder;
    }

    abstract TestRepository repository(Path directory);

    abstract MaestroBuilder maestro(Path directory);

    /** Says what came of it, at last "outcome COMPLETED". */
    abstract void work(Maestro maestro);
}
