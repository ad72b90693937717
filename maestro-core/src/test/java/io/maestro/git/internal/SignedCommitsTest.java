package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.CheckReport;
import io.maestro.Maestro;
import io.maestro.git.Forge;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.LocalForge;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits are signed by the git of a host, here by another JVM with a configuration of its own. */
class SignedCommitsTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private Path config;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        config = directory.resolve("gitconfig");
    }

    /** A story's commit and its merge, or why not. */
    static final class Host {
        public static void main(String[] arguments) throws IOException {
            work(arguments);
            check(arguments);
        }

        private static void work(String[] arguments) throws IOException {
            GitRepository repository = new GitRepository(
                    Path.of(arguments[0]),
                    arguments[1],
                    GitOptions.defaults()
                            .userName("Mae {AGENT_ID}")
                            .userEmail("mae@example.org")
                            .signCommits(true),
                    new SecretCheck(text -> text, List.of(), false));
            String target = repository.refresh();
            try {
                repository.requireSettings("coder-001", target);
            } catch (GitException e) {
                System.out.println("trial: " + e.getMessage());
            }
            Workspace workspace = repository.checkout("coder-001", "1", 1, target);
            Files.writeString(workspace.directory().resolve("a.txt"), "a\n");
            try {
                String commit = workspace.commit(workspace.snapshot(), "Tell ümläute", "Why.");
                workspace.push();
                Forge.Outcome outcome = new LocalForge()
                        .merge(new Forge.Proposal(
                                "1",
                                1,
                                "T",
                                "",
                                repository.mirror(),
                                repository.url(),
                                workspace.branch(),
                                commit,
                                workspace.baseCommit(),
                                target,
                                List.of()));
                System.out.println(commit + " " + outcome);
            } catch (GitUnavailableException e) {
                System.out.println("later: " + e.getMessage());
            }
        }

        /** What a host is told before a story is paid. */
        private static void check(String[] arguments) {
            try (Maestro maestro = Maestro.builder()
                    .projectDirectory(Path.of(arguments[0]))
                    .repository(arguments[1])
                    .git(git -> git.signCommits(true))
                    .tools(tools -> tools.discover(false))
                    .coderModel(ScriptedLlm.builder("scripted").build())
                    .build()) {
                maestro.check().findings().stream()
                        .filter(finding -> finding.subject() == CheckReport.Subject.REPOSITORY)
                        .forEach(finding ->
                                System.out.println("checked: " + finding.status() + ": " + finding.detail()));
            }
        }
    }

    private String host() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(
                List.of(), Host.class, directory.resolve("work").toString(), people.bare.toString()));
        builder.environment().put("GIT_CONFIG_GLOBAL", config.toString());
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void aStoryAndItsMergeAreSignedWithTheKeyOfTheHost() throws Exception {
        Path key = directory.resolve("key");
        assertThat(new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key.toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.writeString(config, "[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = " + key + "\n");
        String output = host();
        assertThat(output).contains("Merged[", "checked: OK: ").doesNotContain("trial", "signed", "FAILED");
        String commit = output.substring(output.indexOf("Merged[") - 41, output.indexOf("Merged[") - 1);

        Path allowed = Files.writeString(
                directory.resolve("allowed"), "mae@example.org " + Files.readString(directory.resolve("key.pub")));
        git(people.bare, "fetch", "-q", directory.resolve("work").toString() + "/.mirrors/" + mirror(), commit);
        assertThat(git(people.bare, "show", "-s", "--format=%s", commit).strip())
                .isEqualTo("Tell ümläute");
        for (String signed : List.of(commit, "main")) {
            assertThat(git(
                                    people.bare,
                                    "-c",
                                    "gpg.ssh.allowedSignersFile=" + allowed,
                                    "show",
                                    "-s",
                                    "--format=%G? %GS|%cn %ce|%an",
                                    signed)
                            .strip())
                    .isEqualTo("G mae@example.org|Mae coder-001 mae@example.org|Mae coder-001");
        }
    }

    private String mirror() throws IOException {
        try (var mirrors = Files.newDirectoryStream(directory.resolve("work/.mirrors"), "*.git")) {
            return mirrors.iterator().next().getFileName().toString();
        }
    }

    @Test
    @Full("a JVM more; aStoryAndItsMergeAreSignedWithTheKeyOfTheHost has the same trial")
    void withoutAKeyTheTrialFailsAndLaterWorkWaits() throws Exception {
        Files.writeString(config, "[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = " + directory + "/none\n");
        assertThat(host().lines())
                .anySatisfy(line -> assertThat(line).startsWith("trial: commits cannot be signed: 'git -c"))
                .anySatisfy(line -> assertThat(line).startsWith("later: a commit cannot be signed: "))
                .anySatisfy(line -> assertThat(line).contains("correct user.signingKey and gpg.format"))
                .anySatisfy(line -> assertThat(line).startsWith("checked: FAILED: commits cannot be signed: "));
        assertThat(git(people.bare, "branch", "--list", "maestro/*")).isEmpty();
    }
}
