package io.maestro.report;

import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import io.maestro.report.internal.HtmlReport;
import io.maestro.report.internal.JsonReport;
import io.maestro.report.internal.ReportSource;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A report on a story or a specification, from the record alone: states, requests and what people decided, calls of tools, what
 * went wrong, tokens and cost, the chat, and what was merged. For any past run that the record has, in whatever process. Each
 * call of a method reads the record anew. Safe for use by several threads.
 *
 * <pre>{@code
 * maestro.report("shop").writeHtml(Path.of("shop.html"));
 * }</pre>
 */
public final class RunReport {
    private final ReportSource source;

    private RunReport(ReportSource source) {
        this.source = source;
    }

    /**
     * A report from a record.
     *
     * @param log the record
     * @param id the id of a story or of a specification
     * @return a report without diffs
     * @throws MaestroException when the record has neither
     */
    public static RunReport of(AuditLog log, String id) {
        return of(log, id, commit -> Optional.empty());
    }

    /**
     * A report from a record and a repository.
     *
     * @param log the record
     * @param id the id of a story or of a specification
     * @param diffs gives what a merged commit has changed, as a unified diff; empty where that is not known any more
     * @return a report
     * @throws MaestroException when the record has neither
     */
    public static RunReport of(AuditLog log, String id, Function<String, Optional<String>> diffs) {
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(id, "id");
        if (log.story(id).isEmpty() && log.spec(id).isEmpty()) {
            throw new MaestroException(
                    "there is no story and no specification '" + id + "' in " + log.location(), null);
        }
        return new RunReport(new ReportSource(log, id, Objects.requireNonNull(diffs, "diffs")));
    }

    /**
     * Writes one page of HTML that needs nothing else: no network, no other file. What agents wrote is shown as text.
     *
     * @param file replaced when it is there
     * @throws UncheckedIOException when it cannot be written
     */
    public void writeHtml(Path file) {
        write(file, new HtmlReport(source)::write);
    }

    /**
     * Writes the same as JSON: an object for the whole, with an array of stories. Names are in snake case, times in ISO 8601.
     *
     * @param file replaced when it is there
     * @throws UncheckedIOException when it cannot be written
     */
    public void writeJson(Path file) {
        write(file, new JsonReport(source)::write);
    }

    private interface Writing {
        void to(Writer out) throws IOException;
    }

    private static void write(Path file, Writing writing) {
        // Not one of Files: they refuse a surrogate without its other half.
        try (Writer out =
                new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(file), StandardCharsets.UTF_8))) {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException("the report " + file + " cannot be written: " + e, e);
        }
    }
}
