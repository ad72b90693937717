package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.internal.RawName;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A merge ends as "git merge" ends in a checkout of the same sides. */
class TreeMergeTest {
    private static final List<String> ATTRIBUTES = List.of(
            "*.u merge=union\n",
            "*.n -merge\n",
            "*.b binary\n",
            "[attr]ours merge=union\n*.a ours\n",
            "*.m conflict-marker-size=11\n",
            "*.d merge=driver\n",
            "*.t text eol=crlf\n",
            "*.w working-tree-encoding=UTF-16LE-BOM\n",
            "ä* -merge\n");

    @TempDir
    Path directory;

    private Random random;

    @Test
    void someSides() throws IOException {
        int unused = sides(25);
    }

    @Test
    @Full("someSides has fewer")
    void manySides() throws IOException {
        // With so many, it is no coincidence when all of them conflict, or none does.
        assertThat(sides(500)).isBetween(1, 499);
    }

    /** The kinds that reviews have found; the random sides have more. */
    @ParameterizedTest
    @CsvSource({
        "a.u, a.u, merge=union, ''",
        "a.n, a.n, -merge, the version of ours",
        "a.b, a.b, binary, the version of ours",
        "a.m, a.m, conflict-marker-size=11, both versions between conflict markers",
        "old/a, new/a, -unknown, ''",
    })
    void attributesAndRenamesCount(String name, String moved, String attributes, String left) throws IOException {
        random = new Random(1);
        TestRepository people = TestRepository.create(directory.resolve("people"));
        Mirror mirror = new Mirror(people.bare, RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
        String text = lines();
        Entry rules = Entry.text(name + " " + attributes + "\n");
        boolean renamed = !name.equals(moved);
        for (boolean swapped : new boolean[] {false, true}) {
            try (Repository repository = mirror.open();
                    ObjectReader reader = repository.newObjectReader();
                    ObjectInserter inserter = repository.newObjectInserter()) {
                ObjectId base = tree(inserter, Map.of(name, Entry.text(text), ".gitattributes", rules));
                ObjectId one = tree(inserter, Map.of(name, Entry.text(text + "one\n"), ".gitattributes", rules));
                ObjectId other = tree(
                        inserter,
                        Map.of(moved, Entry.text(renamed ? text : text + "other\n"), ".gitattributes", rules));
                TreeMerge.MergedTree result = TreeMerge.merge(
                        mirror,
                        mirror.objects(),
                        repository,
                        inserter,
                        base,
                        new TreeMerge.Side(swapped ? other : one, "ours"),
                        new TreeMerge.Side(swapped ? one : other, "theirs"));
                assertThat(result.conflicts().stream().map(TreeMerge.Conflict::content))
                        .isEqualTo(left.isEmpty() ? List.of() : List.of(left));
                Map<String, TreeEntry> merged = TreeEntry.flatten(reader, result.tree());
                assertThat(merged).containsOnlyKeys(moved, ".gitattributes");
                assertThat(text(reader.open(merged.get(moved).id()).getBytes()))
                        .startsWith(text)
                        .contains(
                                left.contains("markers")
                                        ? "<<<<<<<<<<< ours\n"
                                        : renamed || !swapped ? "one\n" : "other\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "main",
                "heads/ours",
                "refs/heads/ours",
                "ours/below",
                "HEAD",
                "config",
                "0123456789012345678901234567890123456789",
                "ABCDEF6789012345678901234567890123456789"
            })
    void eachBranchIsTakenForItself(String name) throws IOException {
        random = new Random(1);
        TestRepository people = TestRepository.create(directory.resolve("people"));
        Mirror mirror = new Mirror(people.bare, RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
        try (Repository repository = mirror.open();
                ObjectReader reader = repository.newObjectReader();
                ObjectInserter inserter = repository.newObjectInserter()) {
            ObjectId base = tree(inserter, Map.of("a", Entry.text("base\n"), "b", Entry.text("base\n")));
            ObjectId ours = tree(inserter, Map.of("a", Entry.text("ours\n"), "b", Entry.text("ours\n")));
            ObjectId theirs = tree(inserter, Map.of("a", Entry.text("theirs\n"), "b", Entry.text("base\n")));
            TreeMerge.MergedTree result = TreeMerge.merge(
                    mirror,
                    mirror.objects(),
                    repository,
                    inserter,
                    base,
                    new TreeMerge.Side(ours, "ours"),
                    new TreeMerge.Side(theirs, name));
            assertThat(result.conflicts()).hasSize(1);
            TreeEntry merged = TreeEntry.flatten(reader, result.tree()).get("a");
            assertThat(new String(reader.open(merged.id()).getBytes(), StandardCharsets.UTF_8))
                    .startsWith("<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> ")
                    .endsWith(name + "\n");
            assertThat(result.conflicts().get(0).markers()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain.md", "\u516b.md", "\u2026.md", "a\rb.md", "a: b.md"})
    void markersAreTheLinesThatGitHasAddedWhateverTheFilesAreCalled(String renamed) throws IOException {
        random = new Random(1);
        TestRepository people = TestRepository.create(directory.resolve("people"));
        Mirror mirror = new Mirror(people.bare, RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
        try (Repository repository = mirror.open();
                ObjectInserter inserter = repository.newObjectInserter()) {
            String own = "> theirs\n>> theirs: a quote\n< ours\n" + lines();
            ObjectId base = tree(inserter, Map.of("a.md", Entry.text(own)));
            ObjectId ours = tree(inserter, Map.of(renamed, Entry.text(own + "ours\n")));
            ObjectId theirs = tree(inserter, Map.of("a.md", Entry.text(own + "theirs\n")));
            TreeMerge.MergedTree result = TreeMerge.merge(
                    mirror,
                    mirror.objects(),
                    repository,
                    inserter,
                    base,
                    new TreeMerge.Side(ours, "ours"),
                    new TreeMerge.Side(theirs, "theirs"));
            assertThat(result.conflicts()).hasSize(1);
            assertThat(result.conflicts().get(0).markers())
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("<<<<<<< ours:"),
                            line -> assertThat(line).startsWith(">>>>>>> theirs:a.md"));
        }
    }

    /** How many of them conflict. */
    private int sides(int most) throws IOException {
        long seed = System.nanoTime();
        random = new Random(seed);
        TestRepository people = TestRepository.create(directory.resolve("people"));
        Mirror mirror = new Mirror(people.bare, RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
        Path work = directory.resolve("work");
        TestRepository.git(directory, "clone", "-q", "--shared", people.bare.toString(), work.toString());
        int conflicts = 0;
        for (int i = 0; i < most; i++) {
            Map<String, Entry> base = base();
            List<String> names = new ArrayList<>(base.keySet());
            Collections.shuffle(names, random);
            // What both sides change, besides what each changes by itself.
            List<String> both = names.subList(0, 3);
            Map<String, Entry> ours = changed(base, both);
            Map<String, Entry> theirs = changed(base, both);
            String what = "seed " + seed + ", pair " + i;
            try (Repository repository = mirror.open();
                    ObjectReader reader = repository.newObjectReader();
                    ObjectInserter inserter = repository.newObjectInserter()) {
                ObjectId b = tree(inserter, base);
                ObjectId o = tree(inserter, ours);
                ObjectId t = tree(inserter, theirs);
                TreeMerge.MergedTree result = TreeMerge.merge(
                        mirror,
                        mirror.objects(),
                        repository,
                        inserter,
                        b,
                        new TreeMerge.Side(o, "ours"),
                        new TreeMerge.Side(t, "theirs"));

                TestRepository.Run merged = merge(repository, work, b, o, t);
                conflicts += merged.exitCode();
                assertThat(result.conflicts().isEmpty()).as(what).isEqualTo(merged.exitCode() == 0);
                if (merged.exitCode() == 0) {
                    assertThat(result.tree().name())
                            .as(what)
                            .isEqualTo(TestRepository.git(work, "rev-parse", "HEAD^{tree}")
                                    .strip());
                } else {
                    assertThat(result.said()).as(what).containsExactlyInAnyOrderElementsOf(said(merged.output()));
                    Map<String, String> lying = lying(work);
                    assertThat(found(reader, result.tree(), lying)).as(what).isEqualTo(lying);
                    assertThat(lying.keySet().stream().filter(path -> !isMerged(lying.get(path))))
                            .as(what)
                            .isSubsetOf(result.conflicts().stream()
                                    .map(TreeMerge.Conflict::path)
                                    .toList());
                }
            }
        }
        try (Stream<Path> left = Files.list(people.bare.getParent())) {
            assertThat(left.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("app.git", "people");
        }
        return conflicts;
    }

    private record Entry(FileMode mode, byte[] content) {
        static Entry text(String content) {
            return new Entry(FileMode.REGULAR_FILE, content.getBytes(StandardCharsets.UTF_8));
        }
    }

    private Map<String, Entry> base() {
        Map<String, Entry> files = new LinkedHashMap<>();
        for (String name : List.of(
                "a.u",
                "b.n",
                "c.b",
                "d.a",
                "e.m",
                "f.d",
                "g.t",
                "h.w",
                "sub/h.u",
                "sub/i.txt",
                "sub/x/j.n",
                "ä b.txt",
                "k.txt")) {
            if (random.nextInt(4) > 0) {
                files.put(name, Entry.text(lines()));
            }
        }
        files.put("bytes.bin", new Entry(FileMode.REGULAR_FILE, new byte[] {0, 1, (byte) random.nextInt()}));
        files.put("link", new Entry(FileMode.SYMLINK, "k.txt".getBytes(StandardCharsets.UTF_8)));
        files.put(".gitattributes", Entry.text(attributes()));
        if (random.nextBoolean()) {
            files.put("sub/.gitattributes", Entry.text(attributes()));
        }
        return files;
    }

    private String attributes() {
        return ATTRIBUTES.stream().filter(line -> random.nextInt(3) > 0).collect(Collectors.joining());
    }

    private String lines() {
        return IntStream.range(0, 6 + random.nextInt(10))
                .mapToObj(line -> "line " + line + " " + random.nextInt(1000) + "\n")
                .collect(Collectors.joining());
    }

    private Map<String, Entry> changed(Map<String, Entry> base, List<String> edited) {
        Map<String, Entry> files = new LinkedHashMap<>(base);
        edited.forEach(name -> files.put(name, edited(base.get(name))));
        for (int change = random.nextInt(3); change >= 0; change--) {
            List<String> names = new ArrayList<>(files.keySet());
            String name = names.get(random.nextInt(names.size()));
            Entry entry = files.get(name);
            switch (random.nextInt(10)) {
                case 0 -> files.remove(name);
                case 1 -> put(files, "moved/" + name, files.remove(name));
                case 2 -> put(files, name + ".d/in", files.remove(name));
                case 3 -> put(files, "new" + random.nextInt(3) + ".txt", Entry.text(lines()));
                case 4 -> files.put(name, new Entry(FileMode.EXECUTABLE_FILE, entry.content()));
                case 5 ->
                    files.put(
                            name,
                            new Entry(FileMode.SYMLINK, ("to" + random.nextInt(3)).getBytes(StandardCharsets.UTF_8)));
                default -> files.put(name, edited(entry));
            }
        }
        return files;
    }

    private static void put(Map<String, Entry> files, String name, Entry entry) {
        boolean inTheWay =
                files.keySet().stream().anyMatch(other -> other.startsWith(name + "/") || name.startsWith(other + "/"));
        if (!inTheWay) {
            files.put(name, entry);
        }
    }

    private Entry edited(Entry entry) {
        if (FileMode.SYMLINK.equals(entry.mode())) {
            return new Entry(entry.mode(), ("to" + random.nextInt(3)).getBytes(StandardCharsets.UTF_8));
        }
        List<String> lines =
                new ArrayList<>(List.of(new String(entry.content(), StandardCharsets.ISO_8859_1).split("(?<=\n)", -1)));
        lines.set(random.nextInt(lines.size()), "edited " + random.nextInt(100) + "\n");
        return new Entry(entry.mode(), String.join("", lines).getBytes(StandardCharsets.ISO_8859_1));
    }

    private static ObjectId tree(ObjectInserter inserter, Map<String, Entry> files) throws IOException {
        TreeMap<String, TreeEntry> entries = new TreeMap<>();
        for (Map.Entry<String, Entry> file : files.entrySet()) {
            entries.put(
                    RawName.ofText(file.getKey()),
                    new TreeEntry(
                            file.getValue().mode(),
                            inserter.insert(Constants.OBJ_BLOB, file.getValue().content())));
        }
        ObjectId tree = TreeEntry.insert(inserter, entries);
        inserter.flush();
        return tree;
    }

    private static TestRepository.Run merge(
            Repository repository, Path work, ObjectId base, ObjectId ours, ObjectId theirs) throws IOException {
        PersonIdent people = new PersonIdent("People", "people@example.org");
        ObjectId b = StoryCommits.create(repository, base, List.of(), people, "base");
        ObjectId o = StoryCommits.create(repository, ours, List.of(b), people, "ours");
        ObjectId t = StoryCommits.create(repository, theirs, List.of(b), people, "theirs");
        Files.writeString(work.resolve(".git/refs/heads/theirs"), t.name() + "\n");
        Files.deleteIfExists(work.resolve(".git/index"));
        TestRepository.git(work, "clean", "-qfdx");
        TestRepository.git(work, "reset", "-q", "--hard", o.name());
        return TestRepository.run(work, "-c", "core.quotePath=false", "merge", "-q", "--no-ff", "-m", "m", "theirs");
    }

    private static List<String> said(String output) {
        return output.lines()
                .filter(line -> line.startsWith("CONFLICT") || line.startsWith("warning: Cannot merge binary"))
                .map(line -> line.replaceAll("\\bHEAD\\b", "ours").strip())
                .toList();
    }

    /** A checkout calls our side HEAD. */
    private static String renamed(String path) {
        return path.replaceAll("~HEAD(?=/|$|_)", "~ours");
    }

    private static boolean isMerged(String entry) {
        return ObjectId.isId(entry.substring(entry.indexOf(' ') + 1));
    }

    /** What git has merged, by its id, and what lies there of the rest, as text: what it would be committed as changes with attributes. */
    private static Map<String, String> lying(Path work) throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String line : TestRepository.git(work, "ls-files", "--stage", "-z").split("\0")) {
            String[] parts = line.split("[ \t]", 4);
            Path file = work.resolve(RawName.path(RawName.ofText(parts[3])));
            String path = renamed(RawName.ofText(parts[3]));
            if (parts[2].equals("0")) {
                found.put(path, FileMode.fromBits(Integer.parseInt(parts[0], 8)) + " " + parts[1]);
            } else if (Files.isSymbolicLink(file)) {
                found.put(path, FileMode.SYMLINK + " " + Files.readSymbolicLink(file));
            } else if (Files.isRegularFile(file)) {
                FileMode mode = Files.isExecutable(file) ? FileMode.EXECUTABLE_FILE : FileMode.REGULAR_FILE;
                found.put(path, mode + " " + text(Files.readAllBytes(file)).replaceAll("(?m)^(<+) HEAD", "$1 ours"));
            }
        }
        return found;
    }

    private static Map<String, String> found(ObjectReader reader, ObjectId tree, Map<String, String> lying)
            throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Map.Entry<String, TreeEntry> file : TreeEntry.flatten(reader, tree).entrySet()) {
            ObjectId id = file.getValue().id();
            boolean merged = isMerged(lying.getOrDefault(file.getKey(), " "));
            found.put(
                    file.getKey(),
                    file.getValue().mode() + " "
                            + (merged ? id.name() : text(reader.open(id).getBytes())));
        }
        return found;
    }

    private static String text(byte[] bytes) {
        boolean wide = bytes.length > 1 && bytes[0] == (byte) 0xff && bytes[1] == (byte) 0xfe;
        return new String(bytes, wide ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8).replace("\r", "");
    }
}
