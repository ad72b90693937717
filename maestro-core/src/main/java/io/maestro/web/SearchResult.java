package io.maestro.web;

import java.util.Objects;

/**
 * A page that a search has found. An agent reads at most 200 characters of the title, 1,000 of the URL and 500 of the snippet.
 *
 * @param title the page's title, as plain text
 * @param url where it is
 * @param snippet what it says about the query, as plain text; may be empty
 */
public record SearchResult(String title, String url, String snippet) {
    /**
     * Refuses null.
     *
     * @param title the page's title, as plain text
     * @param url where it is
     * @param snippet what it says about the query, as plain text; may be empty
     */
    public SearchResult {
        Objects.requireNonNull(title, "title");
        Objects.requireNonNull(url, "url");
        Objects.requireNonNull(snippet, "snippet");
    }
}
