package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.git.internal.GitRepository;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.RecordedText;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.settings.RecordOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The record that belongs to a project: the file in its directory, or a schema of the host's database. */
final class ProjectRecord {
    private final RecordOptions options;

    ProjectRecord(RecordOptions options) {
        this.options = options;
    }

    /** Whether several processes may share it. */
    boolean isShared() {
        return options.dataSource().isPresent();
    }

    Store open(Path directory, Redactor redactor) {
        DataSource database = options.dataSource().orElse(null);
        if (database == null) {
            return Store.sqlite(directory.resolve(".maestro").resolve("maestro.db"), redactor);
        }
        return Store.postgres(database, options.schema().orElse(null), redactor);
    }

    /**
     * Begins a life of the Maestro, on the repository that earlier ones worked on.
     *
     * @throws MaestroException when the record belongs to another repository
     */
    void begin(Store store, String sessionId, GitRepository git, Redactor redactor) {
        requireSameRepository(store, git, redactor);
        store.beginSession(new AuditLog.Session(
                sessionId,
                git.displayUrl(),
                Instant.now(),
                ProcessHandle.current().pid(),
                null));
    }

    /**
     * A story that is done for one repository must not count as done for another. Sessions whose stories have not got as far
     * as a branch bind nothing: the repository may have been mistyped.
     */
    private void requireSameRepository(Store store, GitRepository git, Redactor redactor) {
        List<String> known = store.repositories();
        List<String> names = new ArrayList<>(options.previousRepositories());
        names.add(git.displayUrl());
        boolean same = known.stream()
                .anyMatch(before -> names.stream().anyMatch(name -> isSameRepository(before, name, redactor)));
        if (!known.isEmpty() && !same) {
            String record =
                    isShared() ? "the record " + store.location() : "the project directory " + git.projectDirectory();
            String advice = isShared()
                    ? "give each repository a schema of its own, by record(record -> record.schema(\"its-name\"))"
                    : "use another project directory for that";
            String before = known.get(known.size() - 1);
            throw new MaestroException(record + " belongs to the repository " + before + ", and cannot be used for "
                    + redactor.redact(git.displayUrl()) + "; " + advice
                    + ", or, when it is the same repository by another address, say so by record(record -> record.previousRepository(\""
                    + before
                    + "\"))");
        }
    }

    /** The record holds no secrets; what may look like one in an address does not make it another address. */
    private static boolean isSameRepository(String recorded, String url, Redactor redactor) {
        return RecordedText.isSame(RepositoryIdentity.of(recorded), RepositoryIdentity.of(url), redactor);
    }
}
