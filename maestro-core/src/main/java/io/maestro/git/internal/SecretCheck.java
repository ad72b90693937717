package io.maestro.git.internal;

import io.maestro.git.internal.diff.LineDiff;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.TokenForm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/**
 * Finds the secrets that a change adds: the values that Maestro knows, and tokens that are told by their form, such as a key
 * of GitHub. What is a secret by its name only ({@code password = "changeit"}) is let through, for tests are full of such. So is
 * what the files that were changed or deleted had in them before. Safe for use by several threads.
 */
public final class SecretCheck {
    private static final String WHAT = "looking for secrets";
    private static final int CHUNK = 1 << 20;

    /** Secrets are shorter; one may stand where two chunks meet. */
    private static final int OVERLAP = 64 << 10;

    private static final int MOST_SHOWN = 20;

    private final Redactor redactor;
    private final Set<String> named;
    private final boolean tokens;

    /**
     * Makes a check.
     *
     * @param redactor finds secrets
     * @param named secrets that count even when they are plain words
     * @param tokens whether tokens are looked for, beside known values
     */
    public SecretCheck(Redactor redactor, List<String> named, boolean tokens) {
        this.redactor = redactor;
        this.named = Set.copyOf(named);
        this.tokens = tokens;
    }

    /** A secret: where it is, by which rule, and its value, which is shown to nobody. */
    private record FoundSecret(String place, String rule, String value) {}

    /**
     * Looks at what differs between two trees.
     *
     * @throws WorkspaceProblem when secrets are added; it says where, and not which
     */
    void require(Repository mirror, ObjectId base, ObjectId tree) throws IOException {
        List<FoundSecret> found = new ArrayList<>();
        try (ObjectReader reader = mirror.newObjectReader()) {
            LineDiff lines = new LineDiff();
            try (TreeWalk walk = changes(reader, base, tree)) {
                while (walk.next()) {
                    Effort.requireGoingOn(WHAT);
                    look(reader, walk, lines, found);
                }
            }
            if (!found.isEmpty()) {
                try (TreeWalk walk = changes(reader, base, tree)) {
                    while (walk.next()) {
                        Effort.requireGoingOn(WHAT);
                        forgetOld(reader, walk, found);
                    }
                }
            }
        }
        if (!found.isEmpty()) {
            List<String> shown = found.stream()
                    .map(each -> each.place + " holds "
                            + (each.rule.equals(TokenForm.KNOWN)
                                    ? "a secret of the host"
                                    : "a secret (" + each.rule + ")"))
                    .distinct()
                    .toList();
            int more = Math.max(0, shown.size() - MOST_SHOWN);
            throw new WorkspaceProblem("secrets must not be committed:\n- "
                    + String.join("\n- ", shown.subList(0, shown.size() - more))
                    + (more > 0 ? "\n- and " + more + " more" : "")
                    + "\nTake them out; let the program read them when it runs, from a variable of its environment or a"
                    + " file that is not committed. A value that is made up, for a test, must not look like a real one:"
                    + " put EXAMPLE in the place of some of it, or put it together from two parts");
        }
    }

    private static TreeWalk changes(ObjectReader reader, ObjectId base, ObjectId tree) throws IOException {
        TreeWalk walk = new TreeWalk(reader);
        walk.addTree(base);
        walk.addTree(tree);
        walk.setRecursive(true);
        walk.setFilter(TreeFilter.ANY_DIFF);
        return walk;
    }

    private static boolean isBlob(FileMode mode) {
        return mode.getObjectType() == Constants.OBJ_BLOB;
    }

    private void look(ObjectReader reader, TreeWalk walk, LineDiff lines, List<FoundSecret> found) throws IOException {
        if (!isBlob(walk.getFileMode(1))) {
            return;
        }
        String path = RawName.shown(RawName.of(walk.getRawPath()));
        boolean before = isBlob(walk.getFileMode(0));
        if (!before) {
            find(path)
                    .forEach(each -> found.add(new FoundSecret("the name of a file", each.rule(), value(path, each))));
        }
        ObjectId id = walk.getObjectId(1);
        if (before && walk.getObjectId(0).equals(id)) {
            return;
        }
        String shownPath = redactor.redact(path);
        RawText now = LineDiff.text(reader, id);
        if (now == null) {
            binary(reader, id, shownPath, found);
            return;
        }
        RawText old = before ? LineDiff.text(reader, walk.getObjectId(0)) : null;
        List<Edit> edits = lines.diff(RawTextComparator.DEFAULT, old == null ? RawText.EMPTY_TEXT : old, now).stream()
                .filter(edit -> edit.getLengthB() > 0)
                .toList();
        if (edits.isEmpty()) {
            return;
        }
        // All of the text: a change may complete what began in a line before.
        String text = now.getString(0, now.size(), false);
        List<Redactor.Found> secrets = find(text);
        int[] lineEnds = secrets.isEmpty()
                ? new int[0]
                : IntStream.range(0, text.length())
                        .filter(i -> text.charAt(i) == '\n')
                        .toArray();
        for (Redactor.Found each : secrets) {
            int first = lineOf(each.start(), lineEnds);
            int last = lineOf(each.end() - 1, lineEnds);
            if (edits.stream().anyMatch(edit -> edit.getBeginB() <= last && edit.getEndB() > first)) {
                found.add(new FoundSecret(shownPath + ":" + (first + 1), each.rule(), value(text, each)));
            }
        }
    }

    /** From 0. */
    private static int lineOf(int place, int[] lineEnds) {
        int found = Arrays.binarySearch(lineEnds, place);
        return found < 0 ? -found - 1 : found;
    }

    /** A file that is no text, or a very large one. */
    private void binary(ObjectReader reader, ObjectId id, String path, List<FoundSecret> found) throws IOException {
        chunks(
                reader,
                id,
                CHUNK,
                text -> find(text).forEach(each -> found.add(new FoundSecret(path, each.rule(), value(text, each)))));
    }

    /** Hands a file's text out piece by piece, one overlapping the next; where it may be UTF-16, without the zeros, too. */
    private static void chunks(ObjectReader reader, ObjectId id, int length, Consumer<String> look) throws IOException {
        try (InputStream in = reader.open(id, Constants.OBJ_BLOB).openStream()) {
            byte[] before = new byte[0];
            for (byte[] next = in.readNBytes(length); next.length > 0; next = in.readNBytes(length)) {
                Effort.requireGoingOn(WHAT);
                byte[] chunk = new byte[before.length + next.length];
                System.arraycopy(before, 0, chunk, 0, before.length);
                System.arraycopy(next, 0, chunk, before.length, next.length);
                look.accept(new String(chunk, StandardCharsets.UTF_8));
                String raw = RawName.of(chunk);
                if (raw.indexOf('\0') >= 0) {
                    look.accept(raw.replace("\0", ""));
                }
                int kept = Math.min(OVERLAP, chunk.length);
                before = new byte[kept];
                System.arraycopy(chunk, chunk.length - kept, before, 0, kept);
            }
        }
    }

    /** The secrets in a text that must not be committed. */
    private List<Redactor.Found> find(String text) {
        return redactor.find(text).stream()
                .filter(each -> each.rule().equals(TokenForm.KNOWN)
                        ? each.certain() || named.contains(value(text, each))
                        : each.certain() && tokens)
                .toList();
    }

    /** Without the zeros of UTF-16. */
    private static String value(String text, Redactor.Found found) {
        return text.substring(found.start(), found.end()).replace("\0", "");
    }

    /** Takes out what stood in a file before the change: moving a secret is no worse than leaving it. */
    private static void forgetOld(ObjectReader reader, TreeWalk walk, List<FoundSecret> found) throws IOException {
        if (isBlob(walk.getFileMode(0))) {
            chunks(
                    reader,
                    walk.getObjectId(0),
                    LineDiff.MAX_TEXT,
                    text -> found.removeIf(each -> text.contains(each.value)));
        }
    }
}
