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

    private final ForgeApi api;
    private final String path;
    private final @Nullable String member;
    private final int most;
    private final Part part;
    private final List<JsonNode> items = new ArrayList<>();
    private boolean cut;
    /** How many entries are behind. */
    private int at;

    /** What is read of a list that is long. */
    enum Part {
        /** All of it, or nothing. */
        WHOLE,
        /** So many from the beginning, without those that are too long by themselves. */
        FIRST,
        /** The first page and then the last ones, without those that are too long by themselves. */
        LATEST
    }

    /**
     * @param member where the list is in each page; null when the page is the list
     * @param most how many items are enough
     */
    Pages(ForgeApi api, String path, @Nullable String member, int most, Part part) {
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
        boolean more = true;
        int tooLong = Integer.MAX_VALUE;
        for (int requests = 0;
                more && requests < MOST_REQUESTS && (part == Part.LATEST || items.size() < most);
                requests++) {
            int size = size(tooLong);
            tooLong = Integer.MAX_VALUE;
            try {
                more = page(size);
            } catch (ApiException e) {
                if (!e.isTooLong() || size == 1 && part == Part.WHOLE) {
                    throw e;
                }
                if (size > 1) {
                    tooLong = size;
                } else {
                    cut = true;
                    at++;
                }
            }
        }
        cut |= more;
        return this;
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
        Known answer = api.page(path, size, at / size + 1);
        JsonNode found = member == null ? answer.json() : answer.json().path(member);
        found.forEach(items::add);
        at += size;
        // Some servers give fewer than they were asked for, and do not say that there are more.
        boolean more = answer.next() || found.size() >= size || at < answer.entries();
        if (part == Part.LATEST) {
            // An answer that is known from before may tell of fewer than there are by now.
            int entries = Math.max(answer.entries(), answer.pages() * size);
            int newest = (entries - Math.max(most - items.size(), 0)) / SIZES[0] * SIZES[0];
            cut |= newest > at;
            at = Math.max(at, newest);
        }
        return more;
    }
}
