package io.maestro.web;

import java.io.IOException;
import java.util.List;

/**
 * Searches the web for agents: an adapter of the host's to a search service, or to an index of its own. The tool {@code
 * web_search} is offered where one is set ({@code Maestro.builder().web(web -> web.search(provider))}). Safe for use by several threads.
 */
@FunctionalInterface
public interface SearchProvider {
    /**
     * Searches. It may block; an interrupt of the thread ends it, as it comes at the time limit of the tool.
     *
     * @param query what to search for, as the agent wrote it; not blank, at most 400 characters
     * @param limit how many results are wanted, from 1 to 20; further ones are not shown
     * @return the best ones first; empty when nothing was found
     * @throws IOException when the service does not answer, or refuses; the agent reads the message
     * @throws InterruptedException when the thread is interrupted
     */
    List<SearchResult> search(String query, int limit) throws IOException, InterruptedException;
}
