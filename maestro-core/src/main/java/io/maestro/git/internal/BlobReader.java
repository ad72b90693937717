package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.RawName;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jgit.attributes.Attributes;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.CoreConfig.EolStreamType;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.TreeWalk.OperationType;
import org.eclipse.jgit.treewalk.WorkingTreeOptions;
import org.eclipse.jgit.util.io.EolStreamTypeUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a blob from one file. Line ends and encodings are converted as {@code .gitattributes} says; its filters are never run, so files
 * of Git LFS are committed as they are.
 */
final class BlobReader {
    private static final Logger LOG = LoggerFactory.getLogger(BlobReader.class);
    private static final long IN_MEMORY = 8 << 20;
    private static final String ENCODING = "working-tree-encoding";

    /** What begins with a mark that tells the order of its bytes. */
    private static final Pattern UTF_WITH_MARK = Pattern.compile("(?i)UTF-?16(-?[LB]E-BOM)?");

    private static final WorkingTreeOptions NO_CONFIG = new Config().get(WorkingTreeOptions.KEY);

    private final ObjectReader reader;
    private final ObjectInserter inserter;
    private final long maxSize;
    private final long maxChange;
    private final List<String> problems;
    private final BlobCache cache;
    private final Set<String> filtersSeen = new HashSet<>();

    /** Bytes of what was found to differ so far. */
    private long change;

    private boolean isFull;

    BlobReader(
            ObjectReader reader,
            ObjectInserter inserter,
            long maxSize,
            long maxChange,
            List<String> problems,
            BlobCache cache) {
        this.reader = reader;
        this.inserter = inserter;
        this.maxSize = maxSize;
        this.maxChange = maxChange;
        this.problems = problems;
        this.cache = cache;
    }

    /**
     * Reads a file, unless it is known to be what it was.
     *
     * @param base the file that was checked out under this name, if any
     * @return null when it cannot be committed, which is then among the problems
     */
    @Nullable
    TreeEntry read(
            SafeDirectory directory,
            SafeDirectory.DirectoryEntry entry,
            String path,
            @Nullable TreeEntry base,
            PathRules rules)
            throws IOException {
        FileMode mode = mode(entry, base);
        BlobCache.BlobKey key = cache.key(directory, entry, base, rules);
        ObjectId known = cache.get(path, key);
        // What is in the base stays in the mirror; other objects may have been cleaned away.
        if (known != null && (base != null && known.equals(base.id()) || reader.has(known, Constants.OBJ_BLOB))) {
            if ((base == null || !known.equals(base.id())) && !fits(entry, base)) {
                return null;
            }
            cache.put(path, key, known);
            return new TreeEntry(mode, known);
        }
        try {
            ObjectId id = blob(directory, entry, path, base, rules);
            if (id == null) {
                return null;
            }
            cache.put(path, key, id);
            return new TreeEntry(mode, id);
        } catch (EOFException e) {
            problems.add(RawName.shown(path) + " changed while it was read: end what is still writing it");
            return null;
        }
    }

    /** Counts a file as one that differs; false, which is then among the problems, when it is too much. */
    private boolean fits(SafeDirectory.DirectoryEntry entry, @Nullable TreeEntry base) throws IOException {
        long size = entry.attributes().size();
        // What may be unchanged must be read.
        if (change + size <= maxChange || hasSizeOf(base, size)) {
            change += size;
            return true;
        }
        if (!isFull) {
            isFull = true;
            problems.add(
                    "what is new or changed has more than " + (maxChange >> 20) + " MB in all, counted by the length"
                            + " of the files: delete what is not needed, or add it to .gitignore");
        }
        return false;
    }

    private boolean hasSizeOf(@Nullable TreeEntry base, long size) throws IOException {
        return base != null && reader.getObjectSize(base.id(), Constants.OBJ_BLOB) == size;
    }

    private @Nullable ObjectId blob(
            SafeDirectory directory,
            SafeDirectory.DirectoryEntry entry,
            String path,
            @Nullable TreeEntry base,
            PathRules rules)
            throws IOException {
        long size = entry.attributes().size();
        if (size <= IN_MEMORY) {
            if (!fits(entry, base)) {
                return null;
            }
            ObjectId id = small(directory, entry, path, base, rules);
            if (base != null && id.equals(base.id())) {
                change -= size;
            }
            return id;
        }
        // Unchanged files may be as large as they like: somebody has committed them before.
        if (base != null && hasSizeOf(base, size) && hash(directory, entry).equals(base.id())) {
            return base.id();
        }
        if (size > maxSize) {
            problems.add(RawName.shown(path) + " has " + (size >> 20) + " MB, more than the " + (maxSize >> 20)
                    + " MB that may be committed: delete it or add it to .gitignore");
            return null;
        }
        return fits(entry, base) ? large(directory, entry, path, base, rules) : null;
    }

    private static FileMode mode(SafeDirectory.DirectoryEntry entry, @Nullable TreeEntry base) {
        if (entry.attributes() instanceof PosixFileAttributes posix) {
            return posix.permissions().contains(PosixFilePermission.OWNER_EXECUTE)
                    ? FileMode.EXECUTABLE_FILE
                    : FileMode.REGULAR_FILE;
        }
        return base == null ? FileMode.REGULAR_FILE : base.mode();
    }

    private ObjectId small(
            SafeDirectory directory,
            SafeDirectory.DirectoryEntry entry,
            String path,
            @Nullable TreeEntry base,
            PathRules rules)
            throws IOException {
        byte[] content;
        try (InputStream in = directory.read(entry.name())) {
            content = in.readNBytes((int) IN_MEMORY + 1);
        }
        if (content.length > IN_MEMORY) {
            throw new EOFException();
        }
        return convertedUnlessUnchanged(content, path, base, rules);
    }

    private ObjectId large(
            SafeDirectory directory,
            SafeDirectory.DirectoryEntry entry,
            String path,
            @Nullable TreeEntry base,
            PathRules rules)
            throws IOException {
        try (InputStream in = directory.read(entry.name())) {
            Attributes attributes = rules.attributes(path);
            if (eol(attributes, path, base) != EolStreamType.DIRECT || attributes.getValue(ENCODING) != null) {
                return convertedUnlessUnchanged(in.readNBytes((int) maxSize), path, base, rules);
            }
            return inserter.insert(Constants.OBJ_BLOB, entry.attributes().size(), in);
        }
    }

    private ObjectId hash(SafeDirectory directory, SafeDirectory.DirectoryEntry entry) throws IOException {
        try (InputStream in = directory.read(entry.name())) {
            return inserter.idFor(Constants.OBJ_BLOB, entry.attributes().size(), in);
        }
    }

    private ObjectId convertedUnlessUnchanged(byte[] content, String path, @Nullable TreeEntry base, PathRules rules)
            throws IOException {
        // A file that was never normalised must not come out as changed by the agent.
        ObjectId asIs = inserter.idFor(Constants.OBJ_BLOB, content);
        if (base != null && asIs.equals(base.id())) {
            return asIs;
        }
        Attributes attributes = rules.attributes(path);
        String encoding = attributes.getValue(ENCODING);
        EolStreamType eol = eol(attributes, path, base);
        byte[] converted = encoding == null ? content : decoded(content, path, encoding);
        if (eol != EolStreamType.DIRECT) {
            try (InputStream in = EolStreamTypeUtil.wrapInputStream(new ByteArrayInputStream(converted), eol)) {
                converted = in.readAllBytes();
            }
        }
        return inserter.insert(Constants.OBJ_BLOB, converted);
    }

    /**
     * As git converts a file with {@code working-tree-encoding}. A workspace has such files in UTF-8, as the repository has them; one
     * that is in UTF-8 stays as it is.
     */
    private byte[] decoded(byte[] content, String path, String encoding) {
        if (isUtf8(content) || encoding.matches("(?i)utf-?8")) {
            return content;
        }
        try {
            int mark = content.length > 1 ? (content[0] & 0xff) << 8 | content[1] & 0xff : 0;
            boolean marked = UTF_WITH_MARK.matcher(encoding).matches();
            Charset charset = Charset.forName(marked ? mark == 0xfffe ? "UTF-16LE" : "UTF-16BE" : encoding);
            if (!marked || mark == 0xfffe || mark == 0xfeff) {
                ByteBuffer bytes = ByteBuffer.wrap(content, marked ? 2 : 0, content.length - (marked ? 2 : 0));
                return charset.newDecoder().decode(bytes).toString().getBytes(StandardCharsets.UTF_8);
            }
        } catch (CharacterCodingException | IllegalArgumentException e) {
            LOG.debug("{} is not in {}", path, encoding, e);
        }
        problems.add(RawName.shown(path) + " is neither in UTF-8 nor in " + RawName.shown(encoding)
                + ", its working-tree-encoding in .gitattributes: write it in one of these");
        return content;
    }

    private static boolean isUtf8(byte[] content) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .chars()
                    .noneMatch(c -> c == 0);
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private EolStreamType eol(Attributes attributes, String path, @Nullable TreeEntry base) throws IOException {
        String filter = attributes.getValue("filter");
        if (filter != null && filtersSeen.add(filter)) {
            LOG.warn("{} has the filter '{}', which is not run: it is committed as it is", RawName.shown(path), filter);
        }
        EolStreamType type = EolStreamTypeUtil.detectStreamType(OperationType.CHECKIN_OP, NO_CONFIG, attributes);
        boolean automatic = type == EolStreamType.AUTO_LF;
        return automatic && base != null && hasCrLf(base) ? EolStreamType.DIRECT : type;
    }

    /** With {@code text=auto} git leaves a file alone that was committed with CRLF. */
    private boolean hasCrLf(TreeEntry base) throws IOException {
        ObjectLoader loader = reader.open(base.id(), Constants.OBJ_BLOB);
        if (loader.isLarge()) {
            return false;
        }
        return containsCrLf(loader.getCachedBytes());
    }

    private static boolean containsCrLf(byte[] content) {
        if (RawText.isBinary(content, content.length, true)) {
            return false;
        }
        for (int i = 1; i < content.length; i++) {
            if (content[i] == '\n' && content[i - 1] == '\r') {
                return true;
            }
        }
        return false;
    }
}
