package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.JobStatus;
import io.maestro.docker.JobStatus.State;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecException;
import io.maestro.testing.Full;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How many jobs there may be, whose they are, and where they are. */
@RequiresEngine
@Full("JobsTest has the rules; these are their numbers")
@Execution(ExecutionMode.CONCURRENT)
class JobLimitsTest {
    private static Jobs jobs(TestContainer container, @Nullable String user, JobLimits limits) {
        return new Jobs(DockerHost.local(), container.name(), user, "/", Map.of(), limits);
    }

    private static void end(Jobs jobs, String id) {
        TestEngine.await(() -> jobs.poll(id, 0, 4).state() != State.RUNNING);
    }

    @Test
    void onlySoManyRunAndAreKept() {
        try (TestContainer container = new TestContainer("docker", TestContainer.BUSYBOX)) {
            Jobs jobs = jobs(container, null, new JobLimits(2, 512, 2));
            String first = jobs.start("sleep 7401", null, null);
            String second = jobs.start("sleep 7402", "1000", null);
            assertThatThrownBy(() -> jobs.start("touch /tmp/ran", null, null))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("2 jobs run there and at most 2 may")
                    .hasMessageContaining("these run: " + first + ";");
            assertThatThrownBy(() -> jobs.start("touch /tmp/ran", "1000", null))
                    .hasMessageContaining("these run: " + second + ";");
            assertThat(container.sh("ls /tmp")).doesNotContain("ran");
            assertThat(jobs.list()).extracting(JobStatus::id).containsExactly(first, second);
            jobs.cancel(first);
            String third = jobs.start("exit 1", null, null);
            end(jobs, third);
            String fourth = jobs.start("exit 2", null, null);
            end(jobs, fourth);
            String fifth = jobs.start("sleep 7403", null, null);
            assertThat(jobs.list()).extracting(JobStatus::id).containsExactly(second, third, fourth, fifth);
            assertThatThrownBy(() -> jobs.poll(first, 0, 4)).hasMessageContaining("there is no job " + first);
            assertThat(jobs.list())
                    .extracting(JobStatus::state)
                    .containsExactly(State.RUNNING, State.ENDED, State.ENDED, State.RUNNING);

            container.cli("restart", "-t", "0", container.name());
            assertThat(jobs.poll(fifth, 0, 4).state()).isEqualTo(State.LOST);
            assertThat(jobs.cancel(second).state()).isEqualTo(State.LOST);
            assertThat(jobs.poll(fourth, 0, 4).exitCode()).hasValue(2);
            container.cli("stop", "-t", "0", container.name());
            assertThatThrownBy(() -> jobs.poll(fourth, 0, 4))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining(container.name() + " is 'exited'");
            assertThatThrownBy(() -> jobs.cancel(fourth)).hasMessageContaining(container.name() + " is 'exited'");
            assertThatThrownBy(() -> jobs.start("true", null, null)).isInstanceOf(ExecException.class);
            assertThatThrownBy(jobs::list).isInstanceOf(ExecException.class);
        }
    }

    @Test
    void usersHaveTheirOwn() {
        try (TestContainer container = new TestContainer("docker", TestContainer.BUSYBOX, "--cap-drop", "ALL")) {
            Jobs usual = jobs(container, "1000:1000", JobLimits.USUAL);
            String id = usual.start("id -u; id -g; until [ -e /tmp/go ]; do sleep 0.02; done; exit 3", null, null);
            TestEngine.await(() -> usual.poll(id, 0, 99).output().equals("1000\n1000\n"));

            // Somebody else finds it, as its user; that user is no one's but its own.
            Jobs other = jobs(container, null, JobLimits.USUAL);
            assertThat(other.poll(id, 0, 99).output()).isEqualTo("1000\n1000\n");
            assertThat(other.list()).extracting(JobStatus::id).containsExactly(id);
            assertThat(container.cli(
                            "exec",
                            "--user",
                            "1001:1001",
                            container.name(),
                            "sh",
                            "-c",
                            "ls /tmp/.maestro-jobs-1000 2>/dev/null || echo refused"))
                    .isEqualTo("refused\n");

            // Whoever knows an id can make it up, but not for those who know whose it is, nor in secret.
            container.cli(
                    "exec",
                    "--user",
                    "1001:1001",
                    container.name(),
                    "sh",
                    "-c",
                    "umask 077; d=/tmp/.maestro-jobs-1001/" + id + "; mkdir -p $d; echo ended 0 >$d/verdict;"
                            + " echo 1 1 >$d/pid; echo 1 1 >$d/begun; touch $d/done;"
                            + " mkdir /tmp/.maestro-jobs-1002");
            container.cli(
                    "exec", "--user", "1003:1003", container.name(), "mkdir", "-m", "777", "/tmp/.maestro-jobs-1003");
            assertThat(usual.poll(id, 0, 4).state()).isEqualTo(State.RUNNING);
            assertThat(other.poll(id, 0, 4).state()).isEqualTo(State.RUNNING);
            assertThatThrownBy(() -> jobs(container, null, JobLimits.USUAL).cancel(id))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("both have a job " + id);
            for (String user : List.of("1002", "1003")) {
                assertThatThrownBy(() -> other.start("true", user, null))
                        .isInstanceOf(DockerException.class)
                        .hasMessageContaining("/tmp/.maestro-jobs-" + user + " can be made or is this user's alone");
            }
            assertThat(other.cancel(id).state()).isEqualTo(State.CANCELLED);
            TestEngine.await(() -> !running(container).contains("maestro-job-runs"));
        }
    }

    @Test
    void aJobIsAskedForByItsUserAndGroup() {
        try (TestContainer container = new TestContainer("docker", TestContainer.BUSYBOX)) {
            String id = jobs(container, "1000:1000", JobLimits.USUAL).start("sleep 7502", null, null);
            TestEngine.await(() -> running(container).contains("7502"));
            // Without a supervisor only the environment tells, which is another group's no more than another user's.
            container.sh("read -r p s </tmp/.maestro-jobs-1000/" + id + "/pid; kill -KILL $p");
            Jobs other = jobs(container, "1000:2000", JobLimits.USUAL);
            assertThat(other.poll(id, 0, 4).state()).isEqualTo(State.RUNNING);
            assertThat(other.cancel(id).state()).isEqualTo(State.CANCELLED);
            assertThat(running(container)).doesNotContain("7502");
        }
    }

    /** Root can read everything, so that it must not believe it. */
    @Test
    void whatAnotherUserMadeInOnesNameIsNotBelieved() {
        try (TestContainer container = new TestContainer("docker", TestContainer.BUSYBOX)) {
            container.cli(
                    "exec",
                    "--user",
                    "1001:0",
                    container.name(),
                    "sh",
                    "-c",
                    "umask 077; d=/tmp/.maestro-jobs-0/0123456789ab; mkdir -p $d; echo ended 0 >$d/verdict;"
                            + " echo 1 1 >$d/pid; touch $d/done; ln -s /etc/shadow $d/output");
            Jobs jobs = jobs(container, null, JobLimits.USUAL);
            assertThatThrownBy(() -> jobs.poll("0123456789ab", 0, 4)).hasMessageContaining("there is no job");
            assertThat(jobs.list()).isEmpty();
        }
    }

    private static String running(TestContainer container) {
        return container.sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' '");
    }
}
