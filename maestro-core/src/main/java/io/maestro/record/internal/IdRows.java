package io.maestro.record.internal;

import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.StoryRecord;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Gives out the ids of stories and specifications, which share one space: costs, messages and all else that is recorded of one is
 * found by its id alone. A specification has its own id and those that its stories may need, {@code <id>-00} to {@code <id>-99},
 * from its first row on.
 */
final class IdRows {
    private static final Pattern OF_A_SPECIFICATION = Pattern.compile("(.+)-\\d\\d");

    private final Dialect dialect;

    IdRows(Dialect dialect) {
        this.dialect = dialect;
    }

    /**
     * Refuses a story whose id is another's; the answer stays true until the transaction ends.
     *
     * @throws MaestroException when a specification has the id that is not the story's own, or a story of another origin has it
     */
    void require(Statements database, StoryRecord story) throws SQLException {
        List<String> origins = database.query(
                "SELECT DISTINCT coalesce(spec_id, '') FROM stories WHERE id = ?", row -> row.getString(1), story.id());
        if (!origins.isEmpty()) {
            if (!origins.contains(Objects.requireNonNullElse(story.specId(), ""))) {
                throw new MaestroException("there is a story " + story.id() + " already, "
                        + (origins.contains("") ? "of no specification" : "of specification " + origins.get(0))
                        + "; give the new one an id of its own");
            }
            return;
        }
        oneAtATime(database);
        for (String spec : specs(database, Stream.concat(Stream.of(story.id()), parent(story.id())))) {
            if (!spec.equals(story.specId())) {
                throw new MaestroException(has(spec) + "; give the story " + story.id() + " another id");
            }
        }
    }

    /**
     * Refuses a specification that would have the id of others, each time that it begins; the answer stays true until the
     * transaction ends.
     *
     * @throws MaestroException when a story or another specification has an id that this one, or a story of it, would have
     */
    void require(Statements database, SpecRecord spec) throws SQLException {
        oneAtATime(database);
        List<String> stories = database.query(
                "SELECT stories.id FROM " + dialect.wanted() + " JOIN stories ON stories.id = wanted.name"
                        + " WHERE coalesce(stories.spec_id, '') <> ? ORDER BY wanted.place LIMIT 1",
                row -> row.getString(1),
                JsonList.write(own(spec.id()).toList()),
                spec.id());
        for (String story : stories) {
            throw new MaestroException("there is a story " + story + " already that is none of specification "
                    + spec.id() + "; give the specification another id");
        }
        for (String other : specs(database, Stream.concat(own(spec.id()), parent(spec.id())))) {
            if (!other.equals(spec.id())) {
                throw new MaestroException(has(other) + "; give the specification " + spec.id() + " another id");
            }
        }
    }

    private static String has(String spec) {
        return "there is a specification " + spec + " already, which has the ids " + spec + " and " + spec + "-00 to "
                + spec + "-99";
    }

    private static Stream<String> own(String specId) {
        return Stream.concat(
                Stream.of(specId),
                IntStream.rangeClosed(0, 99).mapToObj(number -> String.format(Locale.ROOT, "%s-%02d", specId, number)));
    }

    /** The specification whose story would be called so. */
    private static Stream<String> parent(String id) {
        Matcher matcher = OF_A_SPECIFICATION.matcher(id);
        return matcher.matches() ? Stream.of(matcher.group(1)) : Stream.of();
    }

    private List<String> specs(Statements database, Stream<String> ids) throws SQLException {
        return database.query(
                "SELECT specs.id FROM " + dialect.wanted() + " JOIN specs ON specs.id = wanted.name"
                        + " ORDER BY wanted.place",
                row -> row.getString(1),
                JsonList.write(ids.toList()));
    }

    private void oneAtATime(Statements database) throws SQLException {
        if (dialect.oneAtATime() != null) {
            database.query(dialect.oneAtATime(), row -> true);
        }
    }
}
