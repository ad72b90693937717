package io.maestro.examples.demo;

import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.event.ConsoleProgress;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;

/** The demo with a specification. */
final class SpecDemo {
    private final Demo demo;

    SpecDemo(Demo demo) {
        this.demo = demo;
    }

    int run() throws IOException {
        boolean sample = demo.spec.isEmpty();
        if (sample != (demo.own == null) || sample != (demo.model == null)) {
            throw new IllegalArgumentException(
                    "--spec FILE needs --repo and --model; --spec alone plays a script on the" + " sample project");
        }
        Spec spec = sample
                ? SampleSpec.spec()
                : Spec.fromMarkdown(Path.of(demo.spec)).build();
        LlmClient coder = sample ? SampleSpec.coder() : AnthropicClient.fromEnvironment(demo.model);
        LlmClient architect = sample ? SampleSpec.architect() : coder;

        Path home = demo.home();
        Git git = new Git(LocalExecutor.builder(home).build());
        Origin origin = sample ? Origin.sample(git, home) : Origin.of(git, home, demo.own.repository);
        PrintStream out = System.out;
        out.println("repository     " + origin.url());
        out.println("specification  " + spec);
        out.println("model          " + (sample ? SampleSpec.NOTICE : demo.modelNotice()));
        out.println("directory      " + home);
        out.println();
        try (ConsoleProgress progress = ConsoleProgress.builder(out).build();
                Maestro maestro = demo.builder(home, origin, coder, architect)
                        .listener(progress)
                        .build()) {
            if (!demo.isReady(out, maestro)) {
                return 1;
            }
            demo.monitor.begin(out, maestro);
            Submission<SpecResult> work = maestro.submitSpec(spec);
            SpecResult result = work.await();
            progress.close();
            out.println();
            out.println(result.toMarkdown());
            out.println("record      " + maestro.auditLog().location());
            Demo.report(out, maestro, home, spec.id());
            newest(git, origin, result)
                    .flatMap(commit -> origin.takeBack(git, spec.id(), commit))
                    .ifPresent(out::println);
            demo.monitor.end(out);
            return result.succeeded() ? 0 : 1;
        }
    }

    /** The merge that has all others before it. */
    private static Optional<String> newest(Git git, Origin origin, SpecResult result) {
        if (origin.workingCopy().isEmpty()) {
            return Optional.empty();
        }
        return result.stories().stream()
                .map(SpecResult.StoryReport::result)
                .map(StoryResult::mergeCommit)
                .flatMap(Optional::stream)
                .reduce((one, other) ->
                        git.succeeds("-C", origin.url(), "merge-base", "--is-ancestor", one, other) ? other : one);
    }
}
