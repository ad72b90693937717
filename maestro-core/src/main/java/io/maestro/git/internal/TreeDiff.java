package io.maestro.git.internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.eclipse.jgit.diff.DiffEntry;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.patch.FileHeader;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.util.io.DisabledOutputStream;
import org.jspecify.annotations.Nullable;

/** What differs between two trees of the mirror. No config, no driver and no program has a say in it. */
final class TreeDiff {
    /** Larger files are compared as binary ones. */
    private static final int MAX_TEXT = 8 << 20;

    private static final int MAX_STAT_FILES = 200;

    private final List<FileStat> files;

    private TreeDiff(List<FileStat> files) {
        this.files = files;
    }

    private record FileStat(String shown, boolean binary, int insertions, int deletions) {}

    static TreeDiff of(Repository mirror, ObjectId from, ObjectId to) throws IOException {
        List<FileStat> files = new ArrayList<>();
        try (ObjectReader reader = mirror.newObjectReader();
                DiffFormatter formatter = formatter(DisabledOutputStream.INSTANCE, reader, null)) {
            for (DiffEntry entry : formatter.scan(from, to)) {
                FileHeader header = formatter.toFileHeader(entry);
                int insertions = 0;
                int deletions = 0;
                for (Edit edit : header.toEditList()) {
                    insertions += edit.getLengthB();
                    deletions += edit.getLengthA();
                }
                boolean binary = header.getPatchType() != FileHeader.PatchType.UNIFIED;
                files.add(new FileStat(name(entry), binary, insertions, deletions));
            }
        }
        return new TreeDiff(files);
    }

    /** The unified diff, of all files or of one path (a file or a directory) taken literally. */
    static String unified(Repository mirror, ObjectId from, ObjectId to, @Nullable String path, int maxLines)
            throws IOException {
        BoundedLines lines = new BoundedLines(maxLines);
        try (ObjectReader reader = mirror.newObjectReader();
                DiffFormatter formatter = formatter(lines, reader, path)) {
            formatter.format(formatter.scan(from, to));
            formatter.flush();
        }
        return lines.text();
    }

    private static DiffFormatter formatter(java.io.OutputStream out, ObjectReader reader, @Nullable String path) {
        DiffFormatter formatter = new DiffFormatter(out);
        formatter.setReader(reader, new Config());
        formatter.setBinaryFileThreshold(MAX_TEXT);
        formatter.setQuotePaths(true);
        if (path == null) {
            formatter.setDetectRenames(true);
        } else {
            formatter.setPathFilter(PathFilter.create(path));
        }
        return formatter;
    }

    private static String name(DiffEntry entry) {
        return switch (entry.getChangeType()) {
            case DELETE -> entry.getOldPath();
            case RENAME, COPY -> entry.getOldPath() + " => " + entry.getNewPath();
            default -> entry.getNewPath();
        };
    }

    int files() {
        return files.size();
    }

    int insertions() {
        return files.stream().mapToInt(FileStat::insertions).sum();
    }

    int deletions() {
        return files.stream().mapToInt(FileStat::deletions).sum();
    }

    /** A line per file and one for the sum, as {@code git diff --stat} has it, without the bars. */
    String stat() {
        StringBuilder text = new StringBuilder();
        int width = files.stream().mapToInt(file -> file.shown().length()).max().orElse(0);
        for (FileStat file : files.subList(0, Math.min(MAX_STAT_FILES, files.size()))) {
            text.append(' ')
                    .append(file.shown())
                    .append(" "
                            .repeat(Math.min(width, 80) - Math.min(file.shown().length(), Math.min(width, 80))))
                    .append(" | ")
                    .append(file.binary() ? "binary" : "+" + file.insertions() + " -" + file.deletions())
                    .append('\n');
        }
        if (files.size() > MAX_STAT_FILES) {
            text.append(" … and ").append(files.size() - MAX_STAT_FILES).append(" more files\n");
        }
        return text.append(String.format(
                        Locale.ROOT,
                        " %d files changed, %d insertions(+), %d deletions(-)%n",
                        files(),
                        insertions(),
                        deletions()))
                .toString();
    }
}
