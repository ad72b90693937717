package io.maestro.git.internal;

import io.maestro.git.internal.diff.LineDiff;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.merge.MergeAlgorithm;
import org.eclipse.jgit.merge.MergeFormatter;
import org.eclipse.jgit.merge.MergeResult;
import org.jspecify.annotations.Nullable;

/**
 * Merges the tip of the target branch into what lies in a workspace, file by file, and says what has to be written there.
 * JGit's own merger gives no tree when there are conflicts, and conflicts are what this is for: text gets conflict
 * markers; of anything else the workspace's version stays (or the only one there is).
 */
final class TreeMerge {
    private final ObjectReader reader;
    private final ObjectInserter inserter;
    private final String oursName;
    private final String theirsName;
    private final LineDiff lines = new LineDiff();

    private final TreeMap<String, TreeEntry> writes = new TreeMap<>();
    private final TreeSet<String> deletes = new TreeSet<>();
    private final TreeSet<String> conflicts = new TreeSet<>();

    private TreeMerge(ObjectReader reader, ObjectInserter inserter, String oursName, String theirsName) {
        this.reader = reader;
        this.inserter = inserter;
        this.oursName = oursName;
        this.theirsName = theirsName;
    }

    /**
     * What has to be done in the workspace; paths are raw.
     *
     * @param tree what lies there afterwards
     * @param writes files, links and submodules that get another content
     * @param deletes what goes away
     * @param conflicts what somebody has to look at
     */
    record Result(ObjectId tree, Map<String, TreeEntry> writes, List<String> deletes, List<String> conflicts) {}

    static Result merge(
            ObjectReader reader,
            ObjectInserter inserter,
            AnyObjectId base,
            AnyObjectId ours,
            AnyObjectId theirs,
            String oursName,
            String theirsName)
            throws IOException {
        TreeMerge merge = new TreeMerge(reader, inserter, oursName, theirsName);
        TreeMap<String, TreeEntry> mine = TreeEntry.flatten(reader, ours);
        merge.run(TreeEntry.flatten(reader, base), mine, TreeEntry.flatten(reader, theirs));
        merge.dropWhatIsInTheWay(mine);
        mine.keySet().removeAll(merge.deletes);
        mine.putAll(merge.writes);
        ObjectId tree = TreeEntry.insert(inserter, mine);
        inserter.flush();
        return new Result(tree, merge.writes, List.copyOf(merge.deletes), List.copyOf(merge.conflicts));
    }

    private void run(Map<String, TreeEntry> base, Map<String, TreeEntry> ours, Map<String, TreeEntry> theirs)
            throws IOException {
        TreeSet<String> changedThere = new TreeSet<>(theirs.keySet());
        changedThere.addAll(base.keySet());
        for (String path : changedThere) {
            TreeEntry b = base.get(path);
            TreeEntry o = ours.get(path);
            TreeEntry t = theirs.get(path);
            if (Objects.equals(b, t) || Objects.equals(o, t)) {
                continue;
            }
            if (Objects.equals(b, o)) {
                take(path, t);
            } else {
                bothChanged(path, b, o, t);
            }
        }
    }

    private void take(String path, @Nullable TreeEntry theirs) {
        if (theirs == null) {
            deletes.add(path);
        } else {
            writes.put(path, theirs);
        }
    }

    private void bothChanged(String path, @Nullable TreeEntry b, @Nullable TreeEntry o, @Nullable TreeEntry t)
            throws IOException {
        if (o == null || t == null) {
            // Deleted on one side, changed on the other: what was changed is kept for a decision.
            conflicts.add(path);
            if (o == null) {
                take(path, t);
            }
            return;
        }
        RawText ourText = o.isFile() ? LineDiff.text(reader, o.id()) : null;
        RawText theirText = t.isFile() ? LineDiff.text(reader, t.id()) : null;
        RawText baseText = b == null ? RawText.EMPTY_TEXT : b.isFile() ? LineDiff.text(reader, b.id()) : null;
        if (ourText == null || theirText == null || baseText == null) {
            conflicts.add(path);
            return;
        }
        MergeResult<RawText> merged =
                new MergeAlgorithm(lines).merge(RawTextComparator.DEFAULT, baseText, ourText, theirText);
        if (merged.containsConflicts()) {
            conflicts.add(path);
        }
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        new MergeFormatter().formatMerge(content, merged, "base", oursName, theirsName, StandardCharsets.UTF_8);
        ObjectId id = inserter.insert(Constants.OBJ_BLOB, content.toByteArray());
        FileMode mode = b != null && b.mode().equals(o.mode()) ? t.mode() : o.mode();
        writes.put(path, new TreeEntry(mode, id));
    }

    /** One side has a file where the other has a directory: the workspace's stays. */
    private void dropWhatIsInTheWay(Map<String, TreeEntry> ours) {
        TreeMap<String, TreeEntry> staying = new TreeMap<>(ours);
        staying.keySet().removeAll(deletes);
        for (String path : new ArrayList<>(writes.keySet())) {
            boolean fileAbove = false;
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                fileAbove |= staying.containsKey(path.substring(0, slash));
            }
            String firstBelow = staying.ceilingKey(path + "/");
            if (fileAbove || (firstBelow != null && firstBelow.startsWith(path + "/"))) {
                writes.remove(path);
                conflicts.add(path);
            }
        }
    }
}
