package io.maestro.prompt.internal;

import java.util.List;

/** Texts below the heading that a prompt gives them. */
public final class Headings {
    private Headings() {}

    /**
     * A text without its first line where that is only its title, which a prompt names already.
     *
     * @param title one line
     * @param markdown the whole text
     * @return what is below the title, or all of it where nothing is
     */
    public static String below(String title, String markdown) {
        List<String> lines = markdown.stripLeading().lines().toList();
        if (lines.isEmpty() || !lines.get(0).replaceFirst("^#+", "").strip().equals(title)) {
            return markdown;
        }
        String rest = String.join("\n", lines.subList(1, lines.size())).strip();
        return rest.isEmpty() ? markdown : rest;
    }
}
