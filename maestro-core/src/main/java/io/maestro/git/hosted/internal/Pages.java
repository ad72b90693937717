package io.maestro.git.hosted.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads one list of a server in pages, which are smaller where its entries are long, with a bounded number of requests. Used by one
 * thread, once.
 */
final class Pages {
    /** How many entries a page has; the next number is taken when one is longer than an answer may be. All servers give 50. */
    private static final int[] SIZES = {50, 25, 5, 1};

    private static final int MOST_REQUESTS = 100;

    /** How many bytes are read of a list that is not read as a whole: one entry that is too long by itself costs up to 40 MB of them. */
    private static final int MOST_BYTES = 64 << 20;

    private final ForgeApi api;
    private final String path;
    private final @Nullable String member;
    private final int most;
    private final ListPart part;
    private final List<JsonNode> items = new ArrayList<>();
    private boolean cut;
    /** How many entries are behind. */
    private int at;

    private long bytes;
    /** Of the pages that are read backwards: smaller from the first one on that was too long. */
    private int size = SIZES[0];

    /** What is read of a list that is long. */
    enum ListPart {
        /** All of it, or nothing. */
        WHOLE,
        /** So many from the beginning, without those that are too long by themselves. */
        FIRST,
        /** The first page and the last ones, newest first, without those that are too long by themselves. */
        LATEST
    }

    /**
     * @param member where the list is in each page; null when the page is the list
     * @param most how many items are enough
     */
    Pages(ForgeApi api, String path, @Nullable String member, int most, ListPart part) {
        this.api = api;
        this.path = path;
        this.member = member;
        this.most = most;
        this.part = part;
    }

    List<JsonNode> items() {
        return items;
    }

    /** Whether anything is left out. */
    boolean isCut() {
        return cut;
    }

    Pages read() {
        if (part == ListPart.LATEST) {
            latest();
        } else {
            forwards();
        }
        return this;
    }

    private void forwards() {
        boolean more = true;
        int tooLong = Integer.MAX_VALUE;
        for (int requests = 0;
                more
                        && requests < MOST_REQUESTS
                        && items.size() < most
                        && (part != ListPart.LATEST || bytes < MOST_BYTES);
                requests++) {
            int size = size(tooLong);
            tooLong = Integer.MAX_VALUE;
            try {
                more = page(size);
            } catch (ApiException e) {
                if (!e.isTooLong() || size == 1 && part == ListPart.WHOLE) {
                    throw e;
                }
                bytes += ForgeHttp.MAX_BYTES;
                if (size > 1) {
                    tooLong = size;
                } else {
                    cut = true;
                    at++;
                }
            }
        }
        cut |= more;
    }

    private void latest() {
        boolean more = true;
        try {
            more = page(size);
        } catch (ApiException e) {
            smaller(e);
        }
        if (more) {
            // An answer that is known from before may tell of fewer entries than there are by now.
            KeptAnswer count = api.count(path);
            int entries = Math.max(count.entries(), count.pages());
            if (entries > 0) {
                backwards(entries);
            } else {
                forwards();
            }
        }
    }

    private void backwards(int entries) {
        int first = items.size();
        int end = entries;
        for (int requests = 0;
                end > at && requests < MOST_REQUESTS && items.size() < most && bytes < MOST_BYTES;
                requests++) {
            int page = (end + size - 1) / size;
            try {
                KeptAnswer answer = api.page(path, size, page);
                List<JsonNode> found = new ArrayList<>();
                list(answer).forEach(found::add);
                items.addAll(first, found);
                bytes += answer.length();
                end = (page - 1) * size;
            } catch (ApiException e) {
                if (!smaller(e)) {
                    cut = true;
                    end--;
                }
            }
        }
        cut |= end > at;
    }

    /** Whether a smaller page may be read instead of one that was too long. */
    private boolean smaller(ApiException e) {
        if (!e.isTooLong()) {
            throw e;
        }
        bytes += ForgeHttp.MAX_BYTES;
        int tooLong = size;
        size = IntStream.of(SIZES).filter(one -> one < tooLong).findFirst().orElse(1);
        return size < tooLong;
    }

    /** Of the largest page that begins here and is smaller than one that was too long. */
    private int size(int tooLong) {
        return IntStream.of(SIZES)
                .filter(size -> at % size == 0 && size < tooLong)
                .findFirst()
                .orElse(1);
    }

    /** Whether there is more. */
    private boolean page(int size) {
        KeptAnswer answer = api.page(path, size, at / size + 1);
        JsonNode found = list(answer);
        found.forEach(items::add);
        bytes += answer.length();
        at += size;
        // Some servers give fewer than they were asked for, and do not say that there are more.
        return answer.next() || found.size() >= size || at < answer.entries();
    }

    private JsonNode list(KeptAnswer answer) {
        return member == null ? answer.json() : answer.json().path(member);
    }
}
