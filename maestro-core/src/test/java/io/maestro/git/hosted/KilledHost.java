package io.maestro.git.hosted;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.chaos.RolePlay;
import io.maestro.chaos.RolePlay.Call;
import io.maestro.git.hosted.internal.Timing;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One life of a host that has one story merged by a request; says so when it is. */
final class KilledHost {
    private static final Architect ARCHITECT = new Architect() {
        @Override
        public String id() {
            return "approving";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    };

    private KilledHost() {}

    private static HostedForgeBuilder forge(String product) {
        return switch (product) {
            case "github" -> HostedForge.gitHub().repository(ScriptedGitHub.NAME);
            case "gitlab" -> HostedForge.gitLab().repository(ScriptedGitLab.NAME);
            default -> HostedForge.gitea().repository(ScriptedGitea.NAME);
        };
    }

    /** Writes something new whenever the forge wants something. */
    private static List<Call> coder(LlmRequest request) {
        List<Call> calls = new ArrayList<>();
        for (long i = 0; i <= RolePlay.said(request, "Your change was not merged"); i++) {
            calls.add(RolePlay.call(
                    "write_file", "path", "a.txt", "content", "version " + i + " by " + System.nanoTime()));
            calls.add(RolePlay.call("done", "summary", "wrote version " + i));
        }
        return calls;
    }

    /** @param arguments the directory of the repository, the product, and where its API is */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        Timing timing = new Timing(
                Duration.ofMillis(50),
                Duration.ZERO,
                Duration.ofMillis(200),
                Duration.ofMillis(5),
                Duration.ofSeconds(20));
        HostedForge forge = forge(arguments[1])
                .baseUrl(URI.create(arguments[2]))
                .token(() -> ScriptedServer.TOKEN)
                .merge(MergePolicy.AUTO)
                .labels("bot")
                .timing(timing)
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.existing(directory).url())
                .coderModel(new RolePlay("coder", KilledHost::coder))
                .architect(ARCHITECT)
                .forge(forge)
                .limits(Limits.builder()
                        .parkAfter(Duration.ofMillis(100))
                        .rounds(100)
                        .build())
                .tools(tools -> tools.discover(false))
                .build()) {
            StoryResult result = maestro.run(Story.builder("7", "Write a")
                    .content("It is needed.")
                    .express()
                    .build());
            System.out.println("outcome " + result.outcome() + " " + result);
        }
    }
}
