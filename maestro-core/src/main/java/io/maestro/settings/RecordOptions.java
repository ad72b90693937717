package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Where the record is kept, and what it belongs to. Without a database it is a file in the project directory. Immutable: each
 * setter returns changed options.
 */
public final class RecordOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<DataSource> DATA_SOURCE = GROUP.inCode(null);
    private static final Setting<String> SCHEMA = GROUP.inCode(null);
    private static final Setting<List<String>> PREVIOUS_REPOSITORIES = GROUP.inCode(List.of());
    /** A process that was killed is replaced after at most this; one that renews in time is not, whatever a collection takes. */
    private static final Setting<Duration> LEASE_TIME =
            GROUP.inCode(Duration.ofSeconds(60)).checked(RecordOptions::requireLeaseTime);

    private static final RecordOptions DEFAULTS = new RecordOptions(GROUP.none());

    private final SettingValues values;

    private RecordOptions(SettingValues values) {
        this.values = values;
    }

    private static void requireLeaseTime(Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("leaseTime must be from 1 second to 1 day, is " + time);
        }
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static RecordOptions defaults() {
        return DEFAULTS;
    }

    RecordOptions under(Config file) {
        return new RecordOptions(values.under(file));
    }

    private <T> RecordOptions with(Setting<T> setting, T value) {
        return new RecordOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Keeps the record in a database of the host's instead of a file in the project directory, so that several processes,
     * each with a project directory of its own, can share the work: a story that several of them were given is done by one,
     * and taken over by another when that one dies.
     *
     * <p>The record belongs to one repository. For several in one database give each a {@link #schema}.
     *
     * @param database PostgreSQL 12 or later; takes two connections while the Maestro lives, and a third while the host reads
     *     {@code Maestro.auditLog()}
     * @return changed options
     */
    public RecordOptions dataSource(DataSource database) {
        return with(DATA_SOURCE, database);
    }

    /**
     * The database that has the record.
     *
     * @return empty unless set: a file in the project directory
     */
    public Optional<DataSource> dataSource() {
        return values.find(DATA_SOURCE);
    }

    /**
     * Keeps the record in a schema of the {@link #dataSource}, so that one database serves many repositories, each with a record
     * of its own. The records share nothing: each has its own stories, leases and chat, is upgraded by its own Maestros, and can
     * be granted, saved and dropped by itself.
     *
     * @param name made when it is not there; all Maestros that work on the repository name the same one. 1 to 63 small
     *     letters of ASCII, digits and underscores, no digit first, and not {@code pg_} at the beginning
     * @return changed options
     */
    public RecordOptions schema(String name) {
        return with(SCHEMA, name);
    }

    /**
     * The schema of the database that has the record.
     *
     * @return empty unless set: the connections' current one
     */
    public Optional<String> schema() {
        return values.find(SCHEMA);
    }

    /**
     * Says that the repository had another address before, so that the record of that address still counts. Not needed
     * where host and path are the same, whatever the protocol and the user ({@code https://example.org/app.git},
     * {@code git@example.org:app}). A record that belongs to neither is refused.
     *
     * @param url the URL or path of before
     * @return changed options
     */
    public RecordOptions previousRepository(String url) {
        return with(
                PREVIOUS_REPOSITORIES,
                Stream.concat(previousRepositories().stream(), Stream.of(url)).toList());
    }

    /**
     * The addresses that the repository had before.
     *
     * @return unmodifiable; empty unless set
     */
    public List<String> previousRepositories() {
        return values.get(PREVIOUS_REPOSITORIES);
    }

    /**
     * Sets how long a lease on a story lasts. When a process no longer renews it, another one that shares the {@link #dataSource}
     * takes the story over after this time. A live process renews it three times as often.
     *
     * @param time from 1 second to 1 day
     * @return changed options
     */
    public RecordOptions leaseTime(Duration time) {
        return with(LEASE_TIME, time);
    }

    /**
     * How long a lease on a story lasts.
     *
     * @return 60 seconds unless set
     */
    public Duration leaseTime() {
        return values.get(LEASE_TIME);
    }
}
