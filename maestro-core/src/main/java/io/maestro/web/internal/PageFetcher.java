package io.maestro.web.internal;

import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.web.WebAccess;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;

/** Fetches pages as text. Safe for use by several threads. */
public final class PageFetcher {
    private static final int MOST_REDIRECTS = 5;

    private final WebRules rules;
    private final Connector connector;

    PageFetcher(WebRules rules, Connector connector) {
        this.rules = rules;
        this.connector = connector;
    }

    /**
     * Makes a fetcher.
     *
     * @param access what it may reach
     * @param reach what the agents' commands may reach by themselves
     */
    public static PageFetcher of(WebAccess access, Reach reach) {
        WebRules rules = new WebRules(access, reach);
        return new PageFetcher(rules, Connector.real(rules));
    }

    /**
     * Makes sure that HTML can be read.
     *
     * @throws MaestroException when jsoup is missing or too old
     */
    public static void requireLibrary() {
        try {
            Class.forName("org.jsoup.parser.StreamParser", false, PageFetcher.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new MaestroException(
                    "web_fetch needs jsoup, which is missing or older than 1.18.1: add org.jsoup:jsoup to what the program runs"
                            + " on, or leave web_fetch off",
                    e);
        }
    }

    /**
     * Fetches a page.
     *
     * @param url what an agent has written
     * @param phase the phase that the agent is in
     * @param limit how long all of it may take
     * @throws FetchException when it cannot or must not be fetched; the message is for the agent
     * @throws InterruptedException when the calling thread is interrupted
     */
    public WebPage fetch(String url, Phase phase, Duration limit) throws FetchException, InterruptedException {
        WebUrl first = WebUrl.of(url);
        return FetchWatch.run(watch -> follow(first, phase, watch), limit);
    }

    private WebPage follow(WebUrl first, Phase phase, FetchWatch watch) throws FetchException, IOException {
        WebUrl url = first;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            rules.check(url, phase);
            try (Socket socket = connector.open(url, watch)) {
                WebResponse answer = WebResponse.of(socket, url);
                Optional<String> location = answer.location();
                if (location.isEmpty()) {
                    if (answer.status() / 100 != 2) {
                        throw new FetchException(url + " is answered with the status " + answer.status());
                    }
                    return PageText.of(url, answer, watch);
                }
                url = url.redirected(location.get());
            }
        }
        throw new FetchException(first + " redirects more than " + MOST_REDIRECTS + " times");
    }
}
