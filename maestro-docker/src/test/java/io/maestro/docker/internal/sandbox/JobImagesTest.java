package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.docker.JobStatus;
import io.maestro.docker.JobStatus.State;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What depends on the shell, its tools and the engine. */
@Execution(ExecutionMode.CONCURRENT)
@Full("JobsTest has the rules")
class JobImagesTest {
    /** All that hides, in a session of its own and without the variable or the output, from those who look for one of them. */
    private static final String TREE = """
            trap '' TERM
            setsid sh -c 'trap "" TERM; while :; do sleep 7601; done' &
            (env -i setsid sh -c 'trap "" TERM; while :; do sleep 7602; done' &)
            (setsid sleep 7603 >/dev/null 2>&1 &)
            env -i setsid sleep 7604 >/dev/null 2>&1 &
            echo up
            while :; do sleep 7605; done
            """;

    @Test
    @RequiresEngine
    void busybox() {
        check("docker", TestContainer.BUSYBOX, null);
    }

    @Test
    @RequiresEngine
    void debian() {
        check("docker", TestContainer.DEBIAN, "1000:1000");
    }

    @Test
    @RequiresEngine("podman")
    void podman() {
        check("podman", TestContainer.BUSYBOX, "1000:1000");
    }

    private static void check(String program, String image, @Nullable String user) {
        DockerHost host = DockerHost.builder().program(program).build();
        try (TestContainer container = new TestContainer(program, image)) {
            Jobs jobs = new Jobs(host, container.name(), user, "/tmp", Map.of(), new JobLimits(2, 1024, 5));
            String tree = jobs.start(TREE, null, null);
            // More than a pipe holds is read away, so that the command comes to its end.
            String much = jobs.start("yes 'äö' | head -c 300001; echo rest; exit 6", null, null);
            TestEngine.await(() -> jobs.poll(much, 0, 4).state() != State.RUNNING);
            JobStatus status = jobs.poll(much, 0, 4096);
            assertThat(status.exitCode()).hasValue(6);
            assertThat(status.outputCut()).isTrue();
            assertThat(status.totalBytes()).isEqualTo(1024);
            assertThat(status.output()).startsWith("äö\näö\n").hasSize(614);

            TestEngine.await(() -> jobs.poll(tree, 0, 99).output().equals("up\n"));
            for (String sleep : new String[] {"7601", "7602", "7603", "7604", "7605"}) {
                TestEngine.await(() -> running(container).contains("sleep " + sleep));
            }
            long begin = System.nanoTime();
            assertThat(jobs.cancel(tree).state()).isEqualTo(State.CANCELLED);
            assertThat(System.nanoTime() - begin).isGreaterThan(2_000_000_000L);
            assertThat(running(container)).doesNotContain("sleep 76");
            assertThat(jobs.poll(tree, 0, 99).output()).isEqualTo("up\n");
        }
    }

    private static String running(TestContainer container) {
        return container.sh("cat /proc/[0-9]*/cmdline | tr '\\000' ' '");
    }
}
