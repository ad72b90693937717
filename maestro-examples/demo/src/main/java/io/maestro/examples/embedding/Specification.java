package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import java.nio.file.Path;

/** A host that has a specification built: the README of maestro-core shows its main method. */
public final class Specification {
    private Specification() {}

    /**
     * Takes a specification to merged work.
     *
     * @param args the repository, and the file of the specification
     */
    public static void main(String[] args) {
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(Path.of("work"))
                .repository(args[0])
                .coderModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .build()) {
            Spec spec = Spec.fromMarkdown(Path.of(args[1])).build();
            Submission<SpecResult> work = maestro.submitSpec(spec, event -> {
                if (event instanceof MaestroEvent.StateChanged changed) {
                    System.out.println(changed.storyId() + " " + changed.to());
                }
            });
            System.out.println(work.await().toMarkdown());
        }
    }
}
