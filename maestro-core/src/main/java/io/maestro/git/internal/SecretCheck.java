package io.maestro.git.internal;

import io.maestro.audit.Redactor;
import io.maestro.audit.internal.redact.TokenForm;
import io.maestro.files.internal.Effort;
import io.maestro.files.internal.RawName;
import io.maestro.git.internal.diff.LineDiff;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/**
 * Finds the secrets that a change adds: the values that Maestro knows, and tokens that are told by their form, such as a key
 * of GitHub. What is a secret by its name only ({@code password = "changeit"}) is let through, for tests are full of such. So is
 * what the files that were changed or deleted had in them before. In files that are no text, and in very large ones, known
 * values are looked for. Safe for use by several threads.
 */
public final class SecretCheck {
    private static final String WHAT = "looking for secrets";
    private static final int CHUNK = 1 << 20;

    /** Known values are shorter; one may stand where two chunks meet. */
    private static final int OVERLAP = 16 << 10;

    private static final int MOST_SHOWN = 20;

    private static final Pattern MARK = Pattern.compile("\\[REDACTED: ?([a-z0-9 -]{1,64})]");

    private static final Pattern PLACE_HOLDER = Pattern.compile("(?i)example|xxxx|\\.\\.\\.|(.)\\1{7}");

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
    private record Found(String place, String rule, String value) {}

    /**
     * Looks at what differs between two trees.
     *
     * @throws WorkspaceProblem when secrets are added; it says where, and not which
     */
    void require(Repository mirror, ObjectId base, ObjectId tree) throws IOException {
        List<Found> found = new ArrayList<>();
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
                        String before = before(reader, walk);
                        found.removeIf(each -> before.contains(each.value));
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
                    + " put EXAMPLE into it, or put it together from two parts");
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

    private void look(ObjectReader reader, TreeWalk walk, LineDiff lines, List<Found> found) throws IOException {
        if (!isBlob(walk.getFileMode(1))) {
            return;
        }
        String path = RawName.shown(RawName.of(walk.getRawPath()));
        boolean before = isBlob(walk.getFileMode(0));
        if (!before) {
            find("the name of a file", path, 0, true, found);
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
        for (Edit edit : lines.diff(RawTextComparator.DEFAULT, old == null ? RawText.EMPTY_TEXT : old, now)) {
            if (edit.getLengthB() > 0) {
                find(
                        shownPath,
                        now.getString(edit.getBeginB(), edit.getEndB(), false),
                        edit.getBeginB() + 1,
                        true,
                        found);
            }
        }
    }

    private void binary(ObjectReader reader, ObjectId id, String path, List<Found> found) throws IOException {
        try (InputStream in = reader.open(id, Constants.OBJ_BLOB).openStream()) {
            byte[] before = new byte[0];
            for (byte[] next = in.readNBytes(CHUNK); next.length > 0; next = in.readNBytes(CHUNK)) {
                Effort.requireGoingOn(WHAT);
                byte[] chunk = new byte[before.length + next.length];
                System.arraycopy(before, 0, chunk, 0, before.length);
                System.arraycopy(next, 0, chunk, before.length, next.length);
                find(path, new String(chunk, StandardCharsets.UTF_8), 0, false, found);
                String raw = RawName.of(chunk);
                if (raw.indexOf('\0') >= 0) {
                    // It may be UTF-16.
                    find(path, raw.replace("\0", ""), 0, false, found);
                }
                int kept = Math.min(OVERLAP, chunk.length);
                before = new byte[kept];
                System.arraycopy(chunk, chunk.length - kept, before, 0, kept);
            }
        }
    }

    /**
     * Finds the secrets in a text.
     *
     * @param line the number of its first line; 0 for none
     * @param text whether tokens count, too
     */
    private void find(String path, String content, int line, boolean text, List<Found> found) {
        String redacted = redactor.redact(content);
        if (redacted.equals(content)) {
            return;
        }
        Matcher marks = MARK.matcher(redacted);
        int position = 0;
        int before = 0;
        while (marks.find()) {
            String plain = redacted.substring(before, marks.start());
            int start = position + plain.length();
            if (!content.startsWith(plain, position)) {
                // What was taken out cannot be told exactly, as where the whole text could not be scanned.
                add(path, marks.group(1), content.substring(position), text, found);
                return;
            }
            before = marks.end();
            if (content.startsWith(marks.group(), start)) {
                position = start + marks.group().length();
                continue;
            }
            Matcher next = MARK.matcher(redacted);
            String after = redacted.substring(before, next.find(before) ? next.start() : redacted.length());
            int end = before == redacted.length() ? content.length() : content.indexOf(after, start + 1);
            if (end < 0 || after.isEmpty() && before < redacted.length()) {
                end = content.length();
            }
            long lineNumber = line
                    + content.substring(0, start).chars().filter(c -> c == '\n').count();
            add(line == 0 ? path : path + ":" + lineNumber, marks.group(1), content.substring(start, end), text, found);
            position = end;
        }
    }

    private void add(String place, String rule, String value, boolean text, List<Found> found) {
        boolean certain = TokenForm.isCertain(rule, value);
        if (rule.equals(TokenForm.KNOWN)
                ? certain || named.contains(value)
                : certain && text && tokens && !isMadeUp(value)) {
            found.add(new Found(place, rule, value));
        }
    }

    /** Whether a token is one that a document shows. The name of a host that was taken out with a token may look so, too. */
    private boolean isMadeUp(String value) {
        if (!isPlaceHolder(value)) {
            return false;
        }
        String around = MARK.matcher(redactor.redact(value)).replaceAll("");
        return around.equals(value) || !isPlaceHolder(around);
    }

    private static boolean isPlaceHolder(String text) {
        return PLACE_HOLDER.matcher(text.toLowerCase(Locale.ROOT)).find();
    }

    /** What stood in a file before the change: moving a secret is no worse than leaving it. */
    private static String before(ObjectReader reader, TreeWalk walk) throws IOException {
        if (!isBlob(walk.getFileMode(0))) {
            return "";
        }
        ObjectLoader loader = reader.open(walk.getObjectId(0), Constants.OBJ_BLOB);
        return loader.getSize() > LineDiff.MAX_TEXT
                ? ""
                : new String(loader.getBytes(LineDiff.MAX_TEXT), StandardCharsets.UTF_8);
    }
}
