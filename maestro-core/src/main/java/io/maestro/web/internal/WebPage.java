package io.maestro.web.internal;

/**
 * A page that was fetched.
 *
 * @param url where it was found in the end
 * @param type its media type
 * @param text what it says, HTML as Markdown
 * @param cut whether it goes on, and was too long
 */
public record WebPage(String url, String type, String text, boolean cut) {}
