package io.maestro.docker.chaos;

import static io.maestro.chaos.RolePlay.call;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Limits;
import io.maestro.chaos.RolePlay;
import io.maestro.docker.DockerEnvironments;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Story;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A story that uses everything that can be left over: images, containers, a compose stack with a volume and a network. */
final class ContainerStory {
    static final Story STORY =
            Story.builder("c1", "Containers").content("Change the container.").build();

    private static final String COMPOSE = """
            services:
              store:
                image: maestro-test/busybox:latest
                command: ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 1 & wait $$!; done"]
                volumes: ["data:/data"]
            volumes:
              data: {}
            """;

    private ContainerStory() {}

    static TestRepository repository(Path directory) {
        return TestRepository.create(
                directory,
                Map.of(
                        "README.md",
                        "a project",
                        "Dockerfile",
                        "FROM maestro-test/debian:latest\nRUN echo built > /built\n",
                        ".maestro/compose.yml",
                        COMPOSE,
                        "check.sh",
                        "test -e /built && test \"$(cat work.txt)\" = good"));
    }

    static MaestroBuilder maestro(Path directory, TestRepository repository) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(new RolePlay("coder", ContainerStory::coder))
                .architectModel(new RolePlay("architect", ContainerStory::architect))
                // Crashes send the coder back more often than usual.
                .limits(Limits.builder().rounds(100).turnsPerState(100).build())
                .testCommand("sh check.sh")
                .environment(DockerEnvironments.builder()
                        .image("maestro-test/debian:latest")
                        .images(all -> all.base("maestro-test/debian:latest").allowed("maestro-test/*"))
                        .build())
                .tools(tools -> tools.discover(false));
    }

    private static List<RolePlay.Call> coder(LlmRequest request) {
        if (request.origin().state().equals("PLANNING")) {
            return List.of(
                    call("container_list"),
                    call("container_test", "command", "test -e README.md"),
                    call("submit_plan", "plan", "build, switch, update"));
        }
        return List.of(
                call("container_build", "tag", "maestro-kill-test"),
                call("container_test", "image", "maestro-kill-test", "command", "test -e /built"),
                call("container_switch", "image", "maestro-kill-test"),
                call("compose_up"),
                call("shell", "cmd", "test -e /built && printf good > work.txt"),
                call("container_update", "image", "maestro-kill-test"),
                call("done", "summary", "changed the container"));
    }

    private static List<RolePlay.Call> architect(LlmRequest request) {
        List<RolePlay.Call> calls = new ArrayList<>();
        RolePlay.headings(request)
                .forEach(heading -> calls.add(call("review_complete", "decision", "APPROVED", "feedback", "fine")));
        return calls;
    }
}
