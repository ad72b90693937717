package io.maestro.git.hosted.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An answer to a read.
 *
 * @param tag by which it is asked for again; may be empty
 * @param json what it says
 * @param next whether the server says that another page follows
 * @param pages how many pages the list has; 0 when that is not told
 * @param entries how many entries the list has; -1 when that is not told
 * @param length of the answer, in bytes
 */
record KeptAnswer(String tag, JsonNode json, boolean next, int pages, int entries, int length) {
    private static final Pattern LAST_PAGE = Pattern.compile("[?&]page=(\\d{1,9})[^>]*>; *rel=\"last\"");

    static KeptAnswer of(ForgeHttp.ForgeReply reply, JsonNode json) {
        String links = reply.header("link");
        Matcher last = LAST_PAGE.matcher(links);
        String count = reply.header("x-total-count") + reply.header("x-total");
        return new KeptAnswer(
                reply.header("etag"),
                json,
                links.contains("rel=\"next\""),
                last.find() ? Integer.parseInt(last.group(1)) : 0,
                count.matches("\\d{1,9}") ? Integer.parseInt(count) : -1,
                reply.length());
    }
}
