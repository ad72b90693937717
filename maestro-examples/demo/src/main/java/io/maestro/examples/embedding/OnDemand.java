package io.maestro.examples.embedding;

import io.maestro.docker.ClonedRepository;
import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.Containers;
import io.maestro.docker.ContainersTool;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerHost;
import io.maestro.docker.JobStatus;
import io.maestro.docker.ProvisionedContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;

/** A program that needs containers and no agents. */
public final class OnDemand {
    private OnDemand() {}

    /**
     * Works on a directory.
     *
     * @param args the directory
     * @throws InterruptedException when the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        try (Containers containers = Containers.on(DockerHost.local())
                .projectDirectory(Path.of("boxes"))
                .rules(ContainerRules.builder().maxContainers(6).build())
                .open()) {
            build(containers, Path.of(args[0]));
            look(containers);
            serve(containers);
            wait(containers.container("app"));
            goOn(containers.container("app"), containers);
            ToolFactory tool = tool(containers);
            System.out.println(tool.definition());
        }
    }

    private static void build(Containers containers, Path project) {
        ProvisionedContainer box = containers.create(ContainerRequest.builder()
                .name("build")
                .purpose("java")
                .workspace(project)
                .repository(new ClonedRepository("https://example.org/library.git", null, "mvn -q install"))
                .build());
        System.out.println(box.report().orElseThrow());
        System.out.println(box.run(ExecRequest.shell("mvn -q verify").build()));
    }

    private static void look(Containers containers) {
        ProvisionedContainer box = containers.create(ContainerRequest.builder()
                .tryRepository("https://example.org/of-strangers.git")
                .build());
        System.out.println(box.report().orElseThrow().step("try_repo").orElseThrow());
    }

    private static void serve(Containers containers) throws InterruptedException {
        containers.createNetwork("stack", false);
        ProvisionedContainer db = containers.create(ContainerRequest.builder()
                .name("db")
                .image("postgres:16")
                .imageProgram(true)
                .environment("POSTGRES_PASSWORD", "dev")
                .network("stack")
                .build());
        db.waitHealthy("pg_isready -U postgres", Duration.ofSeconds(2), 15);
        containers.create(ContainerRequest.builder()
                .name("app")
                .purpose("python")
                .network("stack")
                .build());
    }

    private static void wait(ProvisionedContainer app) {
        String job = app.startJob("python3 -m unittest -v");
        JobStatus now = app.job(job, 0);
        System.out.println(now.state() + " " + now.output());
        System.out.println(app.cancelJob(job).state());
    }

    private static void goOn(ProvisionedContainer app, Containers containers) {
        app.snapshot("before-the-upgrade");
        app.run(ExecRequest.shell("pip install --upgrade something").build());
        app.destroy();
        containers.create(ContainerRequest.builder()
                .name("app")
                .snapshot("before-the-upgrade")
                .build());
    }

    private static ToolFactory tool(Containers containers) {
        return ContainersTool.of(containers).directory(Path.of("shared")).build();
    }

    /** Coders that work in containers, and may make more of them. */
    static DockerEnvironments coders() {
        ContainerRules rules =
                ContainerRules.builder().maxContainers(3).allowPull(false).build();
        return DockerEnvironments.builder().containers(rules).build();
    }
}
