package io.maestro.record;

import java.util.List;
import java.util.Optional;

/**
 * Some of the rows that a query finds. What comes next is told by a key of the last row, not by a count: rows that are written
 * between two pages neither repeat a row nor hide one.
 *
 * @param <T> what they are
 * @param rows in the order of the query; empty when there are none
 * @param next what the query for the next page comes {@code after}; empty on the last page. A text to be passed on, in which
 *     nothing is to be read
 */
public record ResultPage<T>(List<T> rows, Optional<String> next) {
    /**
     * Copies the list.
     *
     * @param rows see the record
     * @param next see the record
     */
    public ResultPage {
        rows = List.copyOf(rows);
    }

    /** How many rows a page has when the query does not say it. */
    static final int DEFAULT_SIZE = 100;

    /** More rows than this are too many to hold, since each may have texts of megabytes. */
    static final int MOST_ROWS = 1000;

    static int requireSize(int most) {
        if (most < 1 || most > MOST_ROWS) {
            throw new IllegalArgumentException("a page must have from 1 to " + MOST_ROWS + " rows, not " + most);
        }
        return most;
    }
}
