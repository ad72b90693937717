package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;

import io.maestro.TestRepository;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** The host is killed by SIGKILL in the middle of CODING: the next life takes up the same session of the CLI. */
@RequiresClaude
@Full("JVMs that are killed; core has the same with coders of its own")
class KilledClaudeTest {
    private static final long LIFE_LIMIT_SECONDS = 600;

    /** On the disk: nothing of {@code /dev} is mounted into a container. */
    @TempDir(factory = TempDirFactory.Standard.class)
    Path directory;

    private final AtomicReference<Process> host = new AtomicReference<>();

    @Test
    void onThisMachine() throws Exception {
        killAndGoOn(directory.resolve("project/coder-001/feature.txt").toString());
    }

    /** With a call open, in which the CLI waits for the host, and with a command of its own. */
    @Test
    void noCliOutlivesItsHost() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        assertThat(repository.url()).isNotBlank();
        Path pid = directory.resolve("cli.pid");
        ApiScript script = request -> request.uses().isEmpty()
                ? ApiReply.use("Bash", "command", "echo $PPID >" + pid + ".part; mv " + pid + ".part " + pid)
                : ApiReply.hang();
        try (StubApi api = StubApi.start(request -> {
            if (!request.uses().isEmpty()) {
                host.get().destroyForcibly();
            }
            return script.reply(request);
        })) {
            assertThat(live(api)).as("the life was killed").isEqualTo("");
            long cli = Long.parseLong(Files.readString(pid).strip());
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (ProcessHandle.of(cli).map(ProcessHandle::isAlive).orElse(false)) {
                assertThat(System.nanoTime()).as("the CLI " + cli + " lives on").isLessThan(limit);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    @Test
    @Fact("sessions: kill -9")
    @RequiresEngine
    void inContainers() throws Exception {
        TestImages images = TestImages.ofDocker();
        killAndGoOn("/workspace/feature.txt", images.baseWithGit());
        String label = "label=io.maestro.project=" + directory.resolve("project");
        assertThat(images.cli().output("container", "ls", "--all", "--quiet", "--filter", label))
                .isBlank();
        assertThat(images.cli().output("volume", "ls", "--quiet", "--filter", label))
                .isBlank();
    }

    private void killAndGoOn(String file, String... image) throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        ApiScript script = StoryScript.of(
                List.of(call(StoryScript.PLAN, "plan", "p")),
                List.of(
                        call("Write", "file_path", file, "content", "made before the kill\n"),
                        call("Bash", "command", "echo after", "description", "go on"),
                        call(StoryScript.DONE, "summary", "s")));
        AtomicReference<ApiRequest> last = new AtomicReference<>();
        ApiScript killing = request -> {
            if (last.get() == null
                    && !StoryScript.plans(request)
                    && request.uses().size() == 1) {
                last.set(request);
                host.get().destroyForcibly();
            }
            return script.reply(request);
        };
        try (StubApi api = StubApi.start(killing)) {
            assertThat(live(api, image)).as("the first life was killed").isEqualTo("");
            int before = api.conversations().size();

            assertThat(live(api, image)).contains("outcome MERGED attempt 1");

            List<ApiRequest> after =
                    api.conversations().subList(before, api.conversations().size());
            assertThat(after).isNotEmpty();
            assertThat(after)
                    .allSatisfy(request -> assertThat(request.sessionId())
                            .as("the same session")
                            .isEqualTo(last.get().sessionId()));
            assertThat(after.get(0).uses()).extracting(ApiRequest.Use::name).startsWith("Write");
        }
        assertThat(repository.show("main", "feature.txt")).isEqualTo("made before the kill");
    }

    /** What a life has said; nothing when it was killed. */
    private String live(StubApi api, String... image) throws Exception {
        List<String> command = new ArrayList<>(ChildJvm.command(
                List.of("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))),
                ClaudeHost.class,
                directory.toString(),
                api.baseUrl(),
                RealClaude.program().toString()));
        command.addAll(List.of(image));
        Path log = directory.resolve("host.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        host.set(process);
        try {
            assertThat(process.waitFor(LIFE_LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as(() -> "a life has ended; it said:\n" + text(log))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        if (process.exitValue() == 137) {
            return "";
        }
        assertThat(process.exitValue()).as(text(log)).isZero();
        return text(log);
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
