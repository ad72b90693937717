package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole stories in repositories with odd things in them, while somebody else pushes: what is merged is what plain git makes of the same
 * changes in a clone.
 */
@Full("seconds each; TreeMergeTest and SnapshotTest have the parts")
@Timeout(120)
class OddRepositoriesTest {
    private static final String TEN = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done";

    @TempDir
    Path directory;

    /**
     * A repository.
     *
     * @param base makes its files
     * @param ours what the story does
     * @param theirs what somebody else does
     * @param resolution what the story does when git says that these conflict; empty when they do not
     */
    private record Odd(String name, String base, String ours, String theirs, String resolution) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Odd> repositories() {
        return Stream.of(
                new Odd(
                        "a change log that is united",
                        "echo 'CHANGES merge=union' > .gitattributes; echo first > CHANGES",
                        "echo ours >> CHANGES",
                        "echo theirs >> CHANGES",
                        ""),
                new Odd(
                        "a lock file that is never merged",
                        "echo '*.lock -merge' > .gitattributes; (" + TEN + ") > a.lock",
                        "sed -i 's/line 2/ours/' a.lock",
                        "sed -i 's/line 8/theirs/' a.lock",
                        "sed -i 's/line 8/both/' a.lock"),
                new Odd(
                        "a file that others have moved",
                        "mkdir old; (" + TEN + ") > old/a.txt",
                        "sed -i 's/line 2/ours/' old/a.txt",
                        "mkdir new; git mv old/a.txt new/a.txt; sed -i 's/line 8/theirs/' new/a.txt",
                        ""),
                new Odd(
                        "a directory that the story has moved",
                        "mkdir old; (" + TEN + ") > old/a.txt; echo b > old/b.txt; echo c > old/c.txt",
                        "mv old new",
                        "sed -i 's/line 8/theirs/' old/a.txt; echo d > old/d.txt",
                        "test -f new/d.txt"),
                new Odd(
                        "an encoding",
                        "echo '*.w text working-tree-encoding=UTF-16LE-BOM' > .gitattributes;"
                                + " printf '\\377\\376a\\000\\n\\000' > a.w; printf '\\377\\376b\\000\\n\\000' > b.w",
                        "printf '\\377\\376o\\000\\n\\000' > a.w; printf '\\377\\376n\\000\\n\\000' > new.w",
                        "printf '\\377\\376t\\000\\n\\000' > b.w",
                        ""),
                new Odd(
                        "a submodule that others have moved on",
                        "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib;"
                                + " printf '[submodule \"lib\"]\\n\\tpath = lib\\n\\turl = ../lib.git\\n' > .gitmodules; mkdir -p lib",
                        "echo ours > ours.txt",
                        "git update-index --cacheinfo 160000,2222222222222222222222222222222222222222,lib",
                        ""),
                new Odd(
                        "links and modes",
                        "echo a > a; ln -s a link; (" + TEN + ") > run.sh",
                        "rm link; ln -s run.sh link; sed -i 's/line 2/ours/' run.sh; ln -s nowhere dangling",
                        "chmod +x run.sh; sed -i 's/line 8/theirs/' run.sh",
                        ""),
                new Odd(
                        "pointers of Git LFS",
                        "echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes;"
                                + " printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:11\\nsize 1\\n' > a.bin",
                        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:22\\nsize 1\\n' > a.bin",
                        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:33\\nsize 1\\n' > a.bin",
                        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:44\\nsize 1\\n' > a.bin"),
                new Odd(
                        "line ends of Windows",
                        "echo '*.bat text eol=crlf' > .gitattributes; (" + TEN
                                + ") > a.bat; printf 'a\\r\\nb\\r\\n' > raw.txt",
                        "sed -i 's/line 2/ours/' a.bat; printf 'c\\r\\n' >> raw.txt",
                        "sed -i 's/line 8/theirs/' a.bat",
                        ""),
                new Odd(
                        "names that are not ASCII",
                        "n=$(printf 'gr\\303\\274\\303\\237e'); mkdir $n; (" + TEN
                                + ") > $n/a; echo l > $(printf 'latin\\351'); echo q > 'a \"b\"\tc'",
                        "sed -i 's/line 2/ours/' gr*/a; echo ours > $(printf 'latin\\351')",
                        "git mv gr*/a $(printf '\\346\\227\\245'); echo new > $(printf 'neu\\374')",
                        ""),
                new Odd(
                        "a file that one side deletes",
                        "(" + TEN + ") > a; echo b > b",
                        "rm a; echo ours > b",
                        "sed -i 's/line 8/theirs/' a",
                        "rm a"),
                new Odd(
                        "a file where others have a directory",
                        "echo a > a",
                        "echo ours > place",
                        "mkdir place; echo theirs > place/in",
                        "mv place~* place/ours"));
    }

    @ParameterizedTest
    @MethodSource("repositories")
    void aStoryEndsAsPlainGit(Odd odd) throws Exception {
        story(odd, directory.resolve("origin.git"));
    }

    /** A clone that a CI has made, with a branch for the stories. */
    @ParameterizedTest
    @MethodSource("repositories")
    void aStoryInAShallowRepositoryEndsAsPlainGit(Odd odd) throws Exception {
        Path shallow = directory.resolve("shallow.git");
        story(odd, shallow);
        assertThat(Files.readString(shallow.resolve("shallow"))).isNotBlank();
    }

    private void story(Odd odd, Path origin) throws Exception {
        TestRepository first = TestRepository.create(directory, Map.of("README.md", "first\n"));
        Path people = directory.resolve("people");
        sh(directory, "git clone -q origin.git people");
        sh(people, odd.base() + "\ngit add -A; git commit -qm base; git push -q origin main");
        if (!origin.toString().equals(first.url())) {
            sh(directory, "git clone -q --bare --depth=1 'file://" + first.url() + "' '" + origin + "'");
            sh(people, "git remote set-url origin '" + origin + "'");
        }
        sh(people, odd.theirs() + "\ngit add -A; git commit -qm theirs");
        sh(directory, "git clone -q '" + origin + "' plain");
        Path plain = directory.resolve("plain");
        sh(plain, odd.ours() + "\ngit add -A; git commit -qm ours; git fetch -q ../people main");
        String conflict = sh(plain, "git merge -q -m merged FETCH_HEAD > /dev/null 2>&1 || echo conflict");
        assertThat(conflict.isEmpty()).isEqualTo(odd.resolution().isEmpty());
        if (!conflict.isEmpty()) {
            sh(plain, odd.resolution() + "\ngit add -A; git commit -qm resolved");
        }

        AtomicBoolean pushed = new AtomicBoolean();
        Reply done = Reply.toolCall("done", Map.of("summary", "changed"));
        ScriptedLlm.Builder coder =
                ScriptedLlm.builder("coder").turn(shell(odd.ours())).turn(done);
        if (!conflict.isEmpty()) {
            coder.turn(shell(odd.resolution())).turn(done);
        }
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(origin.toString())
                .coderModel(coder.build())
                .architect(new Approving() {
                    @Override
                    public Reply reply(Request request) {
                        if (request.kind() == Kind.CODE_REVIEW && !pushed.getAndSet(true)) {
                            sh(people, "git push -q origin main");
                        }
                        return super.reply(request);
                    }
                })
                .testCommand("true")
                .limits(Limits.builder().storyRetries(0).build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "One").content("do it").express().build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        assertThat(sh(origin, "git ls-tree -r main")).isEqualTo(sh(plain, "git ls-tree -r HEAD"));
        sh(origin, "git fsck --strict");
        sh(directory, "git clone -q '" + origin + "' fresh");
        assertThat(sh(directory.resolve("fresh"), "git status --porcelain")).isEmpty();
    }

    private static Reply shell(String script) {
        return Reply.toolCall("shell", Map.of("cmd", script));
    }

    private static String sh(Path directory, String script) {
        ProcessBuilder builder = new ProcessBuilder(List.of("sh", "-ec", script))
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "GIT_CONFIG_GLOBAL", "/dev/null",
                        "GIT_AUTHOR_NAME", "People",
                        "GIT_AUTHOR_EMAIL", "people@example.org",
                        "GIT_COMMITTER_NAME", "People",
                        "GIT_COMMITTER_EMAIL", "people@example.org"));
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(script).isTrue();
            assertThat(process.exitValue()).as("%s: %s", script, output).isZero();
            return output;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
