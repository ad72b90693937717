package io.maestro.git.internal.diff;

import io.maestro.internal.Effort;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.eclipse.jgit.diff.DiffAlgorithm;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.EditList;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.Sequence;
import org.eclipse.jgit.diff.SequenceComparator;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines that differ, by Myers' algorithm in linear space, as git does; with a bound. Where two texts have so little
 * in common, or were made to have, that the search takes too many steps, the part that it has not been through counts as
 * replaced: the result is right in any case, but not the shortest. The same texts give the same result. An interrupt ends it
 * with a {@link CancellationException}. For one comparison of two trees, by one thread.
 */
public final class LineDiff extends DiffAlgorithm {
    /** Bytes; lines of larger files are not compared. */
    public static final int MAX_TEXT = 8 << 20;

    /** For those who end such work when the thread is interrupted. */
    static final String WHAT = "comparing files";

    /** Bytes of a blob that git looks at to tell whether it is text. */
    private static final int HEAD = 8_000;

    private static final int MAX_LINES = 400_000;
    private static final long PER_FILE = 30_000_000;
    private static final long IN_ALL = 600_000_000;
    private static final long INTERVAL = 1_000_000;

    private long left;
    private long fileLeft;
    private long nextLook;

    /** For a comparison of two trees. */
    public LineDiff() {
        this(IN_ALL);
    }

    /** With another bound on the steps for all files together. */
    LineDiff(long inAll) {
        left = inAll;
        nextLook = left - INTERVAL;
    }

    /** The steps for this file are used up while lines were told apart. */
    private static final class DiffExhausted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DiffExhausted() {
            super("too many lines of one hash", null, false, false);
        }
    }

    /**
     * The lines of a blob.
     *
     * @param reader where it is
     * @param id the blob
     * @return null when git takes it for no text, or it has more than {@link #MAX_TEXT}
     */
    public static @Nullable RawText text(ObjectReader reader, ObjectId id) throws IOException {
        return text(reader.open(id, Constants.OBJ_BLOB));
    }

    static @Nullable RawText text(ObjectLoader blob) throws IOException {
        return blob.getSize() > MAX_TEXT || isBinary(blob) ? null : new RawText(blob.getBytes(MAX_TEXT));
    }

    /** Whether git takes it for no text: only a zero near its beginning says so. Null is text. */
    static boolean isBinary(@Nullable ObjectLoader blob) throws IOException {
        if (blob == null) {
            return false;
        }
        try (InputStream in = blob.openStream()) {
            for (byte each : in.readNBytes(HEAD)) {
                if (each == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public <S extends Sequence> EditList diffNonCommon(SequenceComparator<? super S> comparator, S a, S b) {
        EditList edits = new EditList();
        fileLeft = Math.min(PER_FILE, left);
        if (a.size() + b.size() > MAX_LINES) {
            edits.add(new Edit(0, a.size(), 0, b.size()));
            return edits;
        }
        try {
            Map<DiffLine<S>, Integer> numbers = new HashMap<>();
            int[] first = numbers(comparator, a, numbers);
            int[] second = numbers(comparator, b, numbers);
            compare(first, 0, first.length, second, 0, second.length, edits);
        } catch (DiffExhausted e) {
            edits.clear();
            edits.add(new Edit(0, a.size(), 0, b.size()));
        }
        return edits;
    }

    /** False when there are none left. */
    private boolean spend(long steps) {
        left -= steps;
        fileLeft -= steps;
        if (left < nextLook) {
            nextLook = left - INTERVAL;
            Effort.requireGoingOn(WHAT);
        }
        return fileLeft > 0;
    }

    /** The same number for the same line. */
    private <S extends Sequence> int[] numbers(
            SequenceComparator<? super S> comparator, S text, Map<DiffLine<S>, Integer> numbers) {
        int[] found = new int[text.size()];
        for (int i = 0; i < found.length; i++) {
            DiffLine<S> line = new DiffLine<>(this, comparator, text, i, comparator.hash(text, i));
            Integer known = numbers.putIfAbsent(line, numbers.size());
            found[i] = known == null ? numbers.size() - 1 : known;
        }
        return found;
    }

    private record DiffLine<S extends Sequence>(
            LineDiff diff, SequenceComparator<? super S> comparator, S text, int index, int hash) {
        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        @SuppressWarnings("unchecked") // all keys of a map are of one type
        public boolean equals(Object other) {
            if (!diff.spend(1)) {
                throw new DiffExhausted();
            }
            return other instanceof DiffLine<?> line
                    && line.hash == hash
                    && comparator.equals(text, index, (S) line.text, line.index);
        }
    }

    private void compare(int[] a, int fromA, int toA, int[] b, int fromB, int toB, EditList edits) {
        int a0 = fromA;
        int b0 = fromB;
        int a1 = toA;
        int b1 = toB;
        while (a0 < a1 && b0 < b1 && a[a0] == b[b0]) {
            a0++;
            b0++;
        }
        while (a0 < a1 && b0 < b1 && a[a1 - 1] == b[b1 - 1]) {
            a1--;
            b1--;
        }
        int middle = a0 == a1 || b0 == b1 ? -1 : middle(a, a0, a1, b, b0, b1);
        if (middle < 0) {
            add(edits, a0, a1, b0, b1);
            return;
        }
        int middleA = a0 + middle;
        int middleB = b0 + middleOfB;
        compare(a, a0, middleA, b, b0, middleB, edits);
        compare(a, middleA, a1, b, middleB, b1, edits);
    }

    private static void add(EditList edits, int a0, int a1, int b0, int b1) {
        if (a0 == a1 && b0 == b1) {
            return;
        }
        Edit last = edits.isEmpty() ? null : edits.get(edits.size() - 1);
        if (last != null && last.getEndA() == a0 && last.getEndB() == b0) {
            edits.set(edits.size() - 1, new Edit(last.getBeginA(), a1, last.getBeginB(), b1));
        } else {
            edits.add(new Edit(a0, a1, b0, b1));
        }
    }

    /** The second half of what {@link #middle} returns. */
    private int middleOfB;

    /**
     * Looks from both ends for a place that a shortest way passes; neither is the same at its ends.
     *
     * @return the place in a; negative when the steps were used up, or nothing is the same
     */
    private int middle(int[] a, int a0, int a1, int[] b, int b0, int b1) {
        int n = a1 - a0;
        int m = b1 - b0;
        int most = (n + m + 1) / 2;
        if (!spend(n + m)) {
            return -1;
        }
        int[] forward = new int[2 * most + 2];
        int[] backward = new int[2 * most + 2];
        Arrays.fill(forward, -1);
        Arrays.fill(backward, -1);
        forward[most + 1] = 0;
        backward[most + 1] = 0;
        int delta = n - m;
        boolean odd = (delta & 1) != 0;
        int forwardStart = 0;
        int forwardEnd = 0;
        int backwardStart = 0;
        int backwardEnd = 0;
        for (int d = 0; d < most; d++) {
            if (!spend(2L * d + 2)) {
                return -1;
            }
            for (int k = -d + forwardStart; k <= d - forwardEnd; k += 2) {
                int x = start(forward, most, k, d);
                int y = x - k;
                int from = x;
                while (x < n && y < m && a[a0 + x] == b[b0 + y]) {
                    x++;
                    y++;
                }
                spend(x - from);
                forward[most + k] = x;
                if (x > n) {
                    forwardEnd += 2;
                } else if (y > m) {
                    forwardStart += 2;
                } else if (odd) {
                    int other = most + delta - k;
                    if (other >= 0 && other < backward.length && backward[other] >= 0 && x >= n - backward[other]) {
                        middleOfB = y;
                        return x;
                    }
                }
            }
            for (int k = -d + backwardStart; k <= d - backwardEnd; k += 2) {
                int x = start(backward, most, k, d);
                int y = x - k;
                int from = x;
                while (x < n && y < m && a[a1 - 1 - x] == b[b1 - 1 - y]) {
                    x++;
                    y++;
                }
                spend(x - from);
                backward[most + k] = x;
                if (x > n) {
                    backwardEnd += 2;
                } else if (y > m) {
                    backwardStart += 2;
                } else if (!odd) {
                    int other = most + delta - k;
                    if (other >= 0 && other < forward.length && forward[other] >= n - x) {
                        middleOfB = forward[other] - delta + k;
                        return forward[other];
                    }
                }
            }
        }
        return -1;
    }

    private static int start(int[] reached, int offset, int k, int d) {
        boolean down = k == -d || k != d && reached[offset + k - 1] < reached[offset + k + 1];
        return down ? reached[offset + k + 1] : reached[offset + k - 1] + 1;
    }
}
