package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.error.MaestroException;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A project directory that a person had before Maestro stays theirs, and what Maestro makes in it is closed to others. */
class ProjectDirectoryTest {
    private static final int STRANGER = 4321;

    @TempDir
    Path directory;

    private TestRepository repository;
    private Path project;

    @BeforeEach
    void make() throws IOException {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        project = Files.createDirectory(directory.resolve("project"));
    }

    private MaestroBuilder builder() {
        return Maestro.builder()
                .projectDirectory(project)
                .repository(repository.url())
                .coderModel(ScriptedLlm.builder("coder")
                        .turn(Reply.toolCall("write_file", Map.of("path", "new.txt", "content", "new")))
                        .turn(Reply.toolCall("done", Map.of("summary", "wrote it")))
                        .build())
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }

    private static String owned(Path path) {
        try {
            Map<String, Object> unix = Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
            return Integer.toOctalString((Integer) unix.get("mode")) + " " + unix.get("uid") + ":" + unix.get("gid");
        } catch (NoSuchFileException e) {
            return "0";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void mode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    private static void giveAway(Path path) throws IOException {
        assumeTrue(
                Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(0),
                "only root gives files away");
        Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
    }

    /** What others can get at, of what lies directly in directories. */
    private static Set<String> open(List<Path> directories) {
        Set<String> open = new TreeSet<>();
        for (Path parent : directories) {
            try (Stream<Path> entries = Files.list(parent)) {
                entries.filter(entry -> !owned(entry).split(" ")[0].matches(".*00|0"))
                        .forEach(entry -> open.add(entry + " " + owned(entry)));
            } catch (NoSuchFileException e) {
                // It is not made yet.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return open;
    }

    /** Everything below a directory, with owner, mode, size and time. */
    private static Map<String, String> tree(Path directory) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.toList()) {
                tree.put(
                        path.toString(),
                        owned(path) + " "
                                + Files.readAttributes(path, "size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS));
            }
        }
        return tree;
    }

    private void runs(Path person) throws IOException {
        List<Path> ours = List.of(project, project.resolve(".maestro"));
        String before = owned(project);
        String settings = owned(person);
        Set<String> there = open(ours);
        Set<String> open = new ConcurrentSkipListSet<>();
        builder().check();
        try (Maestro maestro =
                builder().listener(event -> open.addAll(open(ours))).build()) {
            assertThat(owned(project)).isEqualTo(before);
            assertThat(maestro.run(Story.builder("1", "One")
                                    .content("x")
                                    .express()
                                    .build())
                            .outcome())
                    .isEqualTo(Outcome.MERGED);
            maestro.check();
            open.addAll(open(ours));
        }
        open.addAll(open(ours));
        assertThat(owned(project)).isEqualTo(before);
        assertThat(owned(person)).isEqualTo(settings);
        open.removeAll(there);
        assertThat(open).isEmpty();
        assertThat(project.resolve("coder-001")).isDirectory();
        assertThat(project.resolve(".mirrors")).isDirectory();
        assertThat(project.resolve(".maestro/maestro.db")).exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {01777, 0755, 02775})
    void itKeepsItsModeFromTheBuilderToTheEnd(int mode) throws IOException {
        mode(project, mode);
        // A person has made the directory for the settings, too.
        Path settings = Files.createDirectory(project.resolve(".maestro"));
        mode(settings, 0755);
        Files.writeString(settings.resolve("config.json"), "{}");
        runs(settings);
    }

    @Test
    void anotherUsersDirectoryKeepsItsOwner() throws IOException {
        mode(project, 0755);
        giveAway(project);
        runs(project);
    }

    @Test
    void aNewOneIsClosed() throws IOException {
        project = directory.resolve("a/new/one");
        try (Maestro maestro = builder().build()) {
            assertThat(owned(project)).startsWith("40700 ");
            assertThat(owned(project.resolve(".maestro"))).startsWith("40700 ");
        }
    }

    @Test
    void aCheckChangesNothing() throws IOException {
        mode(project, 01777);
        Map<String, String> before = tree(directory);
        assertThat(builder().check().findings()).isNotEmpty();
        assertThat(tree(directory)).isEqualTo(before);

        try (Maestro maestro = builder().build()) {
            Map<String, String> open = tree(directory);
            assertThat(maestro.check().findings())
                    .extracting(CheckReport.Finding::subject)
                    .contains(CheckReport.Subject.PUSH);
            assertThat(tree(directory)).isEqualTo(open);
            // In use: looked at all the same.
            assertThat(builder().check().findings()).isNotEmpty();
            assertThat(tree(directory)).isEqualTo(open);
        }
    }

    private void isRefused(String message) throws IOException {
        Map<String, String> before = tree(directory);
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> builder().check())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message);
        assertThat(tree(directory)).isEqualTo(before);
    }

    /** What another user has put where all may write is neither read nor written. */
    @Test
    void aDirectoryOfMaestrosThatSomebodyElseHasMadeIsRefusedBeforeItsSettingsAreRead() throws IOException {
        mode(project, 01777);
        Path victim = Files.createDirectory(directory.resolve("victim"));
        Files.writeString(victim.resolve("config.json"), "not even JSON");
        Path link = Files.createSymbolicLink(project.resolve(".maestro"), victim);
        isRefused(link + " is a symbolic link");
        Files.delete(link);
        Files.createSymbolicLink(link, directory.resolve("not-there"));
        isRefused(link + " is a symbolic link");
        Files.delete(link);
        Path made = Files.move(victim, project.resolve(".maestro"));
        mode(made, 0777);
        isRefused("chmod o-w " + made);
        mode(made, 0755);
        giveAway(made);
        isRefused(made + " belongs to the user " + STRANGER);
    }

    @Test
    void aProjectDirectoryThatSomebodyElseHasMadeWhereAllMayWriteIsRefused() throws IOException {
        mode(directory, 01777);
        giveAway(project);
        isRefused(project + " was made by the user " + STRANGER);
    }

    @ParameterizedTest
    @ValueSource(strings = {".mirrors", "coder-001"})
    void aDirectoryForTheRepositoryThatSomebodyElseHasMadeIsRefused(String name) throws IOException {
        mode(project, 01777);
        Path victim = Files.createDirectory(directory.resolve("victim"));
        Path kept = Files.writeString(victim.resolve("kept"), "kept");
        Files.createSymbolicLink(project.resolve(name), victim);
        try (Maestro maestro = builder().build()) {
            assertThat(maestro.run(Story.builder("1", "One")
                                    .content("x")
                                    .express()
                                    .build())
                            .toString())
                    .contains(project.resolve(name) + " is a symbolic link");
        }
        assertThat(kept).hasContent("kept");
        assertThat(victim).isDirectoryContaining(file -> true);
    }
}
