package io.maestro.git.hosted.internal;

import io.maestro.git.internal.text.ForgeText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The text of a request: Maestro's own section between two marks, and around it what people have written, which stays. The
 * section begins with the story and the attempt, by which Maestro knows its request again, and ends with what the coder was
 * told, so that it is answered when the coder comes back, and by whichever process.
 */
final class RequestBody {
    /** GitHub takes 65,536 characters. */
    private static final int LONGEST = 60_000;

    private static final int MOST_TOLD = 100;
    private static final Pattern START =
            Pattern.compile("<!-- maestro story=([A-Za-z0-9_-]{1,64}) attempt=(\\d{1,9}) -->");
    /** In the memory of a request that somebody else has made. */
    static final String ADOPTED = "a1";

    /** In the memory: how a queue had last let a request go, with the commit that was put there then. */
    static final String QUEUED = "q";

    private static final String ENDED = "<!-- maestro ended -->";
    private static final String END = "<!-- maestro end -->";
    private static final Pattern TOLD =
            Pattern.compile("<!-- maestro told ((?:[aqtr]\\d{1,19}@[0-9a-f]{40,64} ?)*)-->");

    private RequestBody() {}

    /**
     * Whose request it is.
     *
     * @param story the story
     * @param attempt the attempt
     */
    record RequestOwner(String story, int attempt) {
        String mark() {
            return "<!-- maestro story=" + story + " attempt=" + attempt + " -->";
        }
    }

    /** By the first mark: what a section says comes behind it. */
    static Optional<RequestOwner> owner(String body) {
        Matcher start = START.matcher(body);
        return start.find()
                ? Optional.of(new RequestOwner(start.group(1), Integer.parseInt(start.group(2))))
                : Optional.empty();
    }

    /** What the coder was told, each with the commit that it had made before. */
    static Map<String, String> told(String body) {
        Map<String, String> told = new LinkedHashMap<>();
        Matcher matcher = TOLD.matcher(section(body));
        if (matcher.find()) {
            for (String entry : matcher.group(1).strip().split(" ", -1)) {
                int at = entry.indexOf('@');
                if (at > 0) {
                    told.put(entry.substring(0, at), entry.substring(at + 1));
                }
            }
        }
        return told;
    }

    /** The body with another section; what was told stays. */
    static String with(String body, RequestOwner owner, String text) {
        return with(body, owner, text, told(body));
    }

    /** The body with another section, and another memory. */
    static String with(String body, RequestOwner owner, String text, Map<String, String> told) {
        return section(body, owner, plain(text), told);
    }

    /** The body of a request that Maestro closes, with the reason above all else. */
    static String ended(String body, String reason) {
        return ENDED + "\n" + plain(reason) + "\n" + ENDED + "\n\n" + withoutEnd(body);
    }

    /** Whether Maestro has closed it. */
    static boolean isEnded(String body) {
        return body.startsWith(ENDED) && body.indexOf(ENDED, ENDED.length()) > 0;
    }

    /** The body as it was before. */
    static String withoutEnd(String body) {
        return isEnded(body)
                ? body.substring(body.indexOf(ENDED, ENDED.length()) + ENDED.length())
                        .stripLeading()
                : body;
    }

    /** The body with another memory. */
    static String with(String body, RequestOwner owner, Map<String, String> told) {
        String section = section(body);
        Matcher start = START.matcher(section);
        String text = start.find() ? section.substring(start.end()) : "";
        return section(body, owner, TOLD.matcher(text).replaceAll("").strip(), told);
    }

    /** The body of a request that was closed and is opened again; it is in no queue any more. */
    static String begunAgain(String body, RequestOwner owner) {
        String before = withoutEnd(body);
        Map<String, String> told = told(before);
        told.keySet().removeIf(key -> key.startsWith(QUEUED));
        return with(before, owner, told);
    }

    private static String section(String body, RequestOwner owner, String text, Map<String, String> told) {
        String old = section(body);
        int at = old.isEmpty() ? -1 : body.indexOf(old);
        String before = at < 0 ? body.strip() + (body.isBlank() ? "" : "\n\n") : body.substring(0, at);
        int end = at < 0 ? 0 : at + old.length();
        String after = at < 0 ? "" : body.substring(end + (body.startsWith(END, end) ? END.length() : 0));
        String memory = memory(told);
        int left = Math.max(0, LONGEST - before.length() - after.length() - memory.length());
        // A part of Markdown may mean something else than the whole.
        String bounded = text.length() <= left ? text : ForgeText.fence(text.substring(0, left / 3 * 2) + "…");
        return before + owner.mark() + "\n" + bounded + "\n" + memory + END + after;
    }

    private static String memory(Map<String, String> told) {
        StringBuilder memory = new StringBuilder();
        long skipped = Math.max(0, told.size() - MOST_TOLD);
        Set<String> old = told.keySet().stream()
                .limit(skipped)
                .filter(key -> !key.equals(ADOPTED))
                .collect(Collectors.toSet());
        told.entrySet().stream()
                .filter(entry -> !old.contains(entry.getKey()))
                .forEach(entry -> memory.append(entry.getKey())
                        .append('@')
                        .append(entry.getValue())
                        .append(' '));
        return memory.isEmpty() ? "" : "<!-- maestro told " + memory + "-->\n";
    }

    /** From the first mark up to the end mark, without that; the first mark alone when somebody has removed the other. */
    private static String section(String body) {
        Matcher start = START.matcher(body);
        if (!start.find()) {
            return "";
        }
        int end = body.indexOf(END, start.end());
        return end < 0 ? start.group() : body.substring(start.start(), end);
    }

    /** What models write makes no marks. */
    private static String plain(String text) {
        return text.replace("<!--", "&lt;!--").replace("\r\n", "\n").strip();
    }
}
