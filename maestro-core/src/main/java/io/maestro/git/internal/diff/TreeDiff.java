package io.maestro.git.internal.diff;

import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.eclipse.jgit.diff.DiffEntry;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.EditList;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.eclipse.jgit.diff.RenameDetector;
import org.eclipse.jgit.lib.AbbreviatedObjectId;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.patch.FileHeader;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.util.io.DisabledOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two trees of the mirror. No config, no driver and no program has a say in it. No more is made than is
 * shown, and an interrupt ends it with a {@link CancellationException}.
 */
public final class TreeDiff {
    private static final int MAX_STAT_FILES = 200;
    private static final int MAX_NAME = 200;

    /** Each new file is compared with each deleted one. */
    private static final int MAX_RENAMES = 50;

    private static final int MAX_RENAMED_SIZE = 1 << 20;

    /** For the line that says how to read on. */
    private static final int NOTE = 200;

    private static final Pattern CUT = Pattern.compile(
            "(\n… cut here, in file [\\d,]+ of [\\d,]+\\.) Call get_diff with first_line (\\d+) [^\n]*\n$");

    private static final Pattern CUT_LINE =
            Pattern.compile("(?m)( … \\(\\d+ more characters): get_diff with this path shows them\\)$");

    /** By which JGit ends the header of what it does not show. */
    private static final String BINARY = "Binary files differ\n";

    private static final String LARGE =
            "Text of more than " + (LineDiff.MAX_TEXT >> 20) + " MB differs; its lines are not compared\n";

    private TreeDiff() {}

    /**
     * The unified diff, of all files or of one path, for which long lines are shown whole. What git shows as text is shown here, too.
     *
     * @param mirror where both trees are
     * @param from the older tree
     * @param to the newer one
     * @param path a file or a directory, taken literally; null for all
     * @param firstLine where to begin, from 1
     * @param maxCharacters at least 5,000
     * @return the diff; where it goes on, its last line says how to get the rest
     */
    public static String unified(
            Repository mirror, ObjectId from, ObjectId to, @Nullable String path, long firstLine, int maxCharacters)
            throws IOException {
        if (maxCharacters < DiffText.MAX_LINE + 1_000) {
            throw new IllegalArgumentException("a diff of " + maxCharacters + " characters is too short");
        }
        DiffText text = new DiffText(firstLine, maxCharacters - NOTE, path != null);
        LineDiff lines = new LineDiff();
        int whole = 0;
        List<DiffEntry> entries = List.of();
        try (ObjectReader reader = mirror.newObjectReader();
                DiffFormatter formatter = formatter(text, reader, path, lines)) {
            entries = scan(formatter, from, to);
            for (DiffEntry entry : entries) {
                Effort.requireGoingOn(LineDiff.WHAT);
                Changed changed = changed(formatter, reader, entry, lines);
                if (changed == null) {
                    formatter.format(entry);
                } else {
                    formatter.format(changed.header, changed.before, changed.after);
                }
                formatter.flush();
                whole++;
            }
            text.end();
            return text.text();
        } catch (DiffText.Full e) {
            return text.text()
                    + String.format(
                            Locale.ROOT,
                            "… cut here, in file %,d of %,d. Call get_diff with first_line %d for what follows,"
                                    + " or with the path of one file.\n",
                            whole + 1,
                            entries.size(),
                            text.lines() + 1);
        }
    }

    /**
     * The same for people, who have no tool for the rest. An agent cannot write the line that is changed: its own begin otherwise.
     *
     * @param unified what {@link #unified} returned
     * @param command what shows all of it
     */
    public static String forPeople(String unified, String command) {
        String shown = CUT.matcher(unified).replaceFirst("$1 Line $2 and what follows are not shown here.\n");
        // Where an agent has written the end of such a line itself, the command does no harm.
        shown = CUT_LINE.matcher(shown).replaceAll("$1)");
        return shown.equals(unified) ? unified : shown + "All of it, where Maestro runs: " + command + "\n";
    }

    /** What is shown of a file in the place of what JGit shows. */
    private record Changed(FileHeader header, RawText before, RawText after) {}

    /**
     * What differs where JGit takes a text for binary: it does so for a CR within a line, too, and for all that is
     * large.
     *
     * @return null where JGit shows it
     */
    private static @Nullable Changed changed(
            DiffFormatter formatter, ObjectReader reader, DiffEntry entry, LineDiff lines) throws IOException {
        ObjectLoader old = blob(reader, entry, DiffEntry.Side.OLD);
        ObjectLoader now = blob(reader, entry, DiffEntry.Side.NEW);
        if (old == null && now == null
                || !hidden(old) && !hidden(now)
                || LineDiff.isBinary(old)
                || LineDiff.isBinary(now)) {
            return null;
        }
        FileHeader made = formatter.toFileHeader(entry);
        if (made.getPatchType() != FileHeader.PatchType.BINARY) {
            return null;
        }
        byte[] header = made.getBuffer();
        byte[] begin = Arrays.copyOf(header, header.length - BINARY.length());
        RawText before = old == null ? RawText.EMPTY_TEXT : LineDiff.text(old);
        RawText after = now == null ? RawText.EMPTY_TEXT : LineDiff.text(now);
        if (before == null || after == null) {
            byte[] note = LARGE.getBytes(StandardCharsets.US_ASCII);
            byte[] whole = Arrays.copyOf(begin, begin.length + note.length);
            System.arraycopy(note, 0, whole, begin.length, note.length);
            return new Changed(
                    new FileHeader(whole, new EditList(), FileHeader.PatchType.BINARY),
                    RawText.EMPTY_TEXT,
                    RawText.EMPTY_TEXT);
        }
        EditList edits = lines.diff(RawTextComparator.DEFAULT, before, after);
        return new Changed(new FileHeader(begin, edits, FileHeader.PatchType.UNIFIED), before, after);
    }

    /** Null where there is no file on that side, or nothing of it has changed. */
    private static @Nullable ObjectLoader blob(ObjectReader reader, DiffEntry entry, DiffEntry.Side side)
            throws IOException {
        AbbreviatedObjectId id = entry.getId(side);
        return id == null || entry.getMode(side).getObjectType() != Constants.OBJ_BLOB
                ? null
                : reader.open(id.toObjectId(), Constants.OBJ_BLOB);
    }

    /** Whether JGit may take it for binary. */
    private static boolean hidden(@Nullable ObjectLoader blob) throws IOException {
        if (blob == null) {
            return false;
        }
        if (blob.getSize() > LineDiff.MAX_TEXT) {
            return true;
        }
        byte[] all = blob.getBytes(LineDiff.MAX_TEXT);
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 0 || all[i] == '\r' && (i + 1 == all.length || all[i + 1] != '\n')) {
                return true;
            }
        }
        return false;
    }

    /**
     * How much of each file differs, as {@code git diff --stat} has it, without the bars.
     *
     * @param mirror where both trees are
     * @param from the older tree
     * @param to the newer one
     * @return a line for each file, 200 at most, and one for the sum
     */
    public static String stat(Repository mirror, ObjectId from, ObjectId to) throws IOException {
        LineDiff lines = new LineDiff();
        StringBuilder text = new StringBuilder();
        int insertions = 0;
        int deletions = 0;
        try (ObjectReader reader = mirror.newObjectReader();
                DiffFormatter formatter = formatter(DisabledOutputStream.INSTANCE, reader, null, lines)) {
            List<DiffEntry> entries = scan(formatter, from, to);
            List<DiffEntry> shown = entries.subList(0, Math.min(MAX_STAT_FILES, entries.size()));
            int width = Math.min(
                    80,
                    shown.stream().mapToInt(entry -> name(entry).length()).max().orElse(0));
            for (DiffEntry entry : shown) {
                Effort.requireGoingOn(LineDiff.WHAT);
                Changed changed = changed(formatter, reader, entry, lines);
                FileHeader header = changed == null ? formatter.toFileHeader(entry) : changed.header;
                int added =
                        header.toEditList().stream().mapToInt(Edit::getLengthB).sum();
                int removed =
                        header.toEditList().stream().mapToInt(Edit::getLengthA).sum();
                insertions += added;
                deletions += removed;
                String name = name(entry);
                boolean binary = header.getPatchType() != FileHeader.PatchType.UNIFIED;
                text.append(' ')
                        .append(name)
                        .append(" ".repeat(Math.max(0, width - name.length())))
                        .append(binary ? " | binary\n" : " | +" + added + " -" + removed + "\n");
            }
            int more = entries.size() - shown.size();
            if (more > 0) {
                text.append(" … and ").append(more).append(" more files, whose lines are not counted\n");
            }
            return text.append(String.format(
                            Locale.ROOT,
                            " %d %s changed, %d insertions(+), %d deletions(-)\n",
                            entries.size(),
                            entries.size() == 1 ? "file" : "files",
                            insertions,
                            deletions))
                    .toString();
        }
    }

    /**
     * Shortens ids without a look whether another object begins the same: that lists all loose objects again for each file, and
     * nobody looks an object up by what a diff says.
     */
    private static final class ShortNames extends ObjectReader.Filter {
        private final ObjectReader reader;

        ShortNames(ObjectReader reader) {
            this.reader = reader;
        }

        @Override
        protected ObjectReader delegate() {
            return reader;
        }

        @Override
        public AbbreviatedObjectId abbreviate(AnyObjectId id, int length) {
            return id.abbreviate(length);
        }
    }

    private static DiffFormatter formatter(
            OutputStream out, ObjectReader reader, @Nullable String path, LineDiff lines) {
        DiffFormatter formatter = new DiffFormatter(out);
        formatter.setReader(new ShortNames(reader), new Config());
        formatter.setDiffAlgorithm(lines);
        formatter.setBinaryFileThreshold(LineDiff.MAX_TEXT);
        // As core.quotePath=false: only what would break a line is escaped.
        formatter.setQuotePaths(false);
        if (path == null) {
            formatter.setDetectRenames(true);
            RenameDetector renames = formatter.getRenameDetector();
            renames.setRenameLimit(MAX_RENAMES);
            renames.setBigFileThreshold(MAX_RENAMED_SIZE);
            renames.setSkipContentRenamesForBinaryFiles(true);
            formatter.setProgressMonitor(new EmptyProgressMonitor() {
                @Override
                public boolean isCancelled() {
                    return Thread.currentThread().isInterrupted();
                }
            });
        } else {
            formatter.setPathFilter(PathFilter.create(path));
        }
        return formatter;
    }

    private static List<DiffEntry> scan(DiffFormatter formatter, ObjectId from, ObjectId to) throws IOException {
        List<DiffEntry> entries = formatter.scan(from, to);
        // It is empty when the search for renames was cancelled.
        Effort.requireGoingOn(LineDiff.WHAT);
        return entries;
    }

    private static String name(DiffEntry entry) {
        return switch (entry.getChangeType()) {
            case DELETE -> name(entry.getOldPath());
            case RENAME, COPY -> name(entry.getOldPath()) + " => " + name(entry.getNewPath());
            default -> name(entry.getNewPath());
        };
    }

    private static String name(String path) {
        String shown = DiffText.shown(RawName.shown(RawName.ofText(path)));
        return shown.length() <= MAX_NAME ? shown : "…" + shown.substring(shown.length() - MAX_NAME);
    }
}
