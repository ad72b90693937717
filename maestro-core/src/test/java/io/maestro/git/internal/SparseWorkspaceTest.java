package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.internal.RawName;
import io.maestro.testing.Campaign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workspaces that have some directories of a repository, beside what git and a whole workspace make of the same changes. */
class SparseWorkspaceTest {
    @TempDir
    Path directory;

    private TestRepository people;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        people.commit(
                "Add services",
                Map.of(
                        "services/billing/Bill.java", "class Bill {}\n",
                        "services/billing/deep/Sum.java", "class Sum {}\n",
                        "services/shop/Shop.java", "class Shop {}\n",
                        "services/pom.xml", "<pom/>\n",
                        "docs/guide.md", "# Guide\n"));
    }

    private GitRepository repository(String work, String... directories) {
        return new GitRepository(
                directory.resolve(work),
                people.bare.toString(),
                GitOptions.defaults().sparseDirectories(directories),
                new SecretCheck(text -> text, List.of(), false));
    }

    private static Workspace checkout(GitRepository repository) {
        String target = repository.refresh();
        repository.requireSettings("coder-001", target);
        return repository.checkout("coder-001", "1", 1, target);
    }

    private static List<String> files(Path root) throws IOException {
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.filter(file ->
                            Files.isRegularFile(file) && !root.relativize(file).startsWith(".git"))
                    .map(file -> root.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theFilesOfChosenDirectoriesAndThoseAboveThemAreThere() throws IOException {
        GitRepository repository = repository("work", "services/billing/");
        Workspace workspace = checkout(repository);
        List<String> chosen = List.of(
                "README.md", "services/billing/Bill.java", "services/billing/deep/Sum.java", "services/pom.xml");
        assertThat(files(workspace.directory())).isEqualTo(chosen);
        assertThat(git(workspace.directory(), "status", "--porcelain")).isEmpty();
        assertThat(git(workspace.directory(), "sparse-checkout", "list")).isEqualTo("services/billing\n");
        assertThat(workspace.snapshot().empty()).isTrue();

        repository.checkoutForReading("architect-001", "main");
        assertThat(files(directory.resolve("work/architect-001"))).isEqualTo(chosen);
        assertThat(workspace.<List<String>>inCheckout(workspace.snapshot(), clone -> {
                    try {
                        return files(clone);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isEqualTo(chosen);
    }

    @Test
    void aCommitKeepsWhatIsNotThere() throws IOException {
        Workspace workspace = checkout(repository("work", "services/billing"));
        write(workspace.directory(), "services/billing/Bill.java", "class Bill { int sum; }\n");
        Files.delete(workspace.directory().resolve("services/billing/deep/Sum.java"));
        write(workspace.directory(), "docs/new.md", "# New\n");
        String commit = workspace.commit(workspace.snapshot(), "Bill", "");
        workspace.push();
        assertThat(git(people.bare, "diff", "--name-status", "main", commit))
                .isEqualTo("A\tdocs/new.md\nM\tservices/billing/Bill.java\nD\tservices/billing/deep/Sum.java\n");
    }

    @Test
    void newsOfTheTargetBranchAreWrittenWhereTheWorkspaceHasThem() throws IOException {
        Workspace workspace = checkout(repository("work", "services/billing"));
        List<String> before = files(workspace.directory());
        write(workspace.directory(), "docs/guide.md", "# Mine\n");
        people.commit(
                "Go on",
                Map.of(
                        "services/billing/Bill.java", "class Bill { int theirs; }\n",
                        "services/shop/Shop.java", "class Shop { int theirs; }\n",
                        "services/shop/New.java", "class New {}\n",
                        "docs/guide.md", "# Theirs\n"));
        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.conflicts()).containsOnlyKeys("docs/guide.md");
        assertThat(files(workspace.directory()))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(before.stream(), Stream.of("docs/guide.md"))
                        .toList());
        assertThat(workspace.directory().resolve("services/billing/Bill.java"))
                .content()
                .contains("theirs");
        assertThat(workspace.snapshot()).isEqualTo(integration.after());

        Files.delete(workspace.directory().resolve("docs/guide.md"));
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    @Test
    void whatStandsInThePlaceOfSomethingThatIsNotThereIsNamed() throws IOException {
        Workspace workspace = checkout(repository("work", "services/billing"));
        write(workspace.directory(), "docs", "a file\n");
        write(workspace.directory(), "services/shop", "a file\n");
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("docs is where the repository has something that was not checked out")
                .hasMessageContaining("services/shop is where");
        Files.delete(workspace.directory().resolve("docs"));
        Files.delete(workspace.directory().resolve("services/shop"));
        SafeDirectory.deleteTree(workspace.directory().resolve("services"));
        Workspace.Snapshot gone = workspace.snapshot();
        assertThat(workspace.diffStat(gone))
                .contains("Bill.java", "Sum.java", "pom.xml")
                .doesNotContain("Shop.java");
    }

    @Test
    void namesOutsideOfAsciiCanBeChosen() throws IOException {
        people.commit("Add", Map.of("dienste/größe/A.java", "class A {}\n", "dienste/andere/B.java", "class B {}\n"));
        Workspace workspace = checkout(repository("work", "dienste/größe"));
        assertThat(workspace.directory().resolve(RawName.path(RawName.ofText("dienste/größe/A.java"))))
                .exists();
        assertThat(workspace.directory().resolve("dienste/andere")).doesNotExist();
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    @Test
    void aSubmoduleThatIsThereAlthoughItIsNotChosenStaysAsItIs() throws IOException {
        String commit = git(people.clone, "rev-parse", "HEAD").strip();
        git(people.clone, "update-index", "--add", "--cacheinfo", "160000," + commit + ",vendor/lib");
        git(people.clone, "commit", "-q", "-m", "Add a submodule");
        git(people.clone, "push", "-q", "origin", "HEAD");
        Workspace workspace = checkout(repository("work", "services/billing"));
        assertThat(workspace.snapshot().empty()).isTrue();
        git(workspace.directory(), "clone", "-q", people.bare.toString(), "vendor/lib");
        git(workspace.directory().resolve("vendor/lib"), "checkout", "-q", commit);
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    /** A process ended after it had brought the news in and before it had noted that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheNewsHavePutInThePlaceOfADirectoryOrFileGoesWithThem(boolean file) throws IOException {
        if (!file) {
            people.commit("Add", Map.of("tools/run", "a file\n"));
        }
        Workspace workspace = checkout(repository("work", "services/billing"));
        write(workspace.directory(), "services/billing/Bill.java", "class Bill { int x; }\n");
        String tree = workspace.snapshot().tree();
        String oldBase = workspace.baseCommit();
        if (file) {
            git(people.clone, "rm", "-q", "-r", "docs");
            people.commit("Replace", Map.of("docs", "a file now\n"));
        } else {
            git(people.clone, "rm", "-q", "tools/run");
            people.commit("Replace", Map.of("tools/run/fast", "a directory now\n"));
        }
        write(workspace.directory(), file ? "docs" : "tools/run/fast", "written by the merge\n");
        Workspace again = repository("work").reopen("coder-001", "1", 1, workspace.branch(), oldBase, "main");
        again.restore(tree);
        assertThat(again.snapshot().tree()).isEqualTo(tree);
        assertThat(workspace.directory().resolve(file ? "docs" : "tools/run")).doesNotExist();
    }

    @Test
    void aLaterProcessKeepsWhatTheWorkspaceWasMadeWith() throws IOException {
        Workspace workspace = checkout(repository("work", "services/billing"));
        write(workspace.directory(), "services/billing/New.java", "class New {}\n");
        String tree = workspace.snapshot().tree();
        for (String[] set : new String[][] {{}, {"docs"}}) {
            Workspace again = repository("work", set)
                    .reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main");
            assertThat(again.snapshotForReview().tree()).isEqualTo(tree);
        }
        Path kept = directory.resolve("work/.maestro/snapshots/coder-001/sparse");
        assertThat(Files.readString(kept)).isEqualTo("services/billing");
        Files.writeString(kept, "");
        assertThatThrownBy(() -> repository("work")
                        .reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("is empty");
        assertThat(files(checkout(repository("work")).directory())).hasSize(7);
        assertThat(kept).doesNotExist();
    }

    @Test
    void aDirectoryThatTheBranchLacksIsNamedBeforeAnythingIsMade() {
        GitRepository repository = repository("work", "services/biling", "services/pom.xml", "docs");
        String target = repository.refresh();
        assertThatThrownBy(() -> repository.requireSettings("coder-001", target))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("the branch 'main' has no directory 'services/biling', 'services/pom.xml' that");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "/", "../x", "/srv", "a/../b", "a*", "a[b]", "a?", "a\\b", "\"a\"", "a\nb", ".", " a", "a ", "!a",
                "#a"
            })
    void aPathThatIsNoneIsRefused(String path) {
        assertThatThrownBy(() -> SparseDirectories.of(List.of(path))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void randomChangesComeToWhatGitAndAWholeWorkspaceMakeOfThem() throws IOException {
        long seed = Campaign.seed("sparse workspaces");
        Random random = new Random(seed);
        int rounds = Campaign.number(1);
        for (int round = 0; round < rounds; round++) {
            Map<String, String> files = new TreeMap<>();
            for (int i = 0; i < 40; i++) {
                files.put(path(random) + "f" + random.nextInt(9), "one\ntwo\nthree\n" + random.nextInt() + "\n");
            }
            people.pull("main");
            people.commit("Add files " + round, files);
            Workspace sparse = checkout(repository("sparse" + round, chosen(files, random)));
            Workspace whole = checkout(repository("whole" + round));
            String base = git(people.bare, "rev-parse", "main^{tree}").strip();
            assertThat(sparse.snapshot().tree())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(base);

            change(random, sparse, whole);
            String tree = sparse.snapshot().tree();
            assertThat(tree)
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(whole.snapshot().tree());
            git(sparse.directory(), "add", "--all", "--sparse");
            assertThat(git(sparse.directory(), "write-tree").strip())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(tree);

            Map<String, String> others = new TreeMap<>();
            files.keySet().stream()
                    .filter(path -> random.nextInt(3) == 0)
                    .forEach(path -> others.put(path, "zero\none\ntwo\nthree\n" + random.nextInt(2) + "\n"));
            others.put(path(random) + "g", "new\n");
            people.commit("Change files " + round, others);
            String oldBase = sparse.baseCommit();
            Workspace.Integration integration = sparse.integrate();
            assertThat(integration).as("seed %d, round %d", seed, round).isEqualTo(whole.integrate());
            assertThat(sparse.snapshot().tree())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(integration.after().tree());

            // As after a kill before the new base was noted.
            Workspace again =
                    repository("sparse" + round, "a").reopen("coder-001", "1", 1, sparse.branch(), oldBase, "main");
            again.restore(tree);
            assertThat(again.snapshot().tree())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(tree);
        }
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(4); depth > 0; depth--) {
            path.append((char) ('a' + random.nextInt(3))).append('/');
        }
        return path.toString();
    }

    private static String[] chosen(Map<String, String> files, Random random) {
        List<String> directories = files.keySet().stream()
                .filter(path -> path.contains("/"))
                .map(path -> path.substring(0, path.lastIndexOf('/')))
                .distinct()
                .toList();
        return new String[] {
            directories.get(random.nextInt(directories.size())), directories.get(random.nextInt(directories.size()))
        };
    }

    /** The same changes in both: of files that the first one has, and new ones anywhere. */
    private static void change(Random random, Workspace sparse, Workspace whole) throws IOException {
        for (String file : new ArrayList<>(files(sparse.directory()))) {
            int what = random.nextInt(4);
            for (Workspace workspace : List.of(sparse, whole)) {
                if (what == 0) {
                    Files.delete(workspace.directory().resolve(file));
                } else if (what == 1) {
                    write(workspace.directory(), file, "one\nchanged\nthree\n");
                }
            }
        }
        for (int i = 0; i < 5; i++) {
            String file = path(random) + (random.nextBoolean() ? "n" : "f" + random.nextInt(9));
            String content = "written " + i + "\n";
            write(sparse.directory(), file, content);
            write(whole.directory(), file, content);
        }
    }
}
