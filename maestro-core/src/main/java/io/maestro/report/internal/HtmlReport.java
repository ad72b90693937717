package io.maestro.report.internal;

import io.maestro.record.AuditLog;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes a report as one page of HTML. Its own style and script are all that a browser runs of it. */
public final class HtmlReport {
    private static final String STYLE = resource("report.css");
    private static final String SCRIPT = resource("report.js");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final ReportSource source;

    /** A report on what the source has. */
    public HtmlReport(ReportSource source) {
        this.source = source;
    }

    /** Writes all of it; the writer stays open. */
    public void write(Writer out) throws IOException {
        Html html = new Html(out);
        Optional<AuditLog.SpecRecord> spec = source.spec();
        List<AuditLog.StoryRecord> stories = source.stories();
        String title = spec.map(AuditLog.SpecRecord::title)
                .orElseGet(() -> stories.get(0).title());
        head(html, title);
        html.raw("<header>").element("h1", title);
        html.raw("<div class=facts>");
        String state = spec.map(record -> record.state().name())
                .orElseGet(() -> stories.get(0).state().name());
        state(html, state);
        html.raw("<span>")
                .text((spec.isPresent() ? "specification " : "story ") + source.id())
                .raw("</span>");
        cost(html, ids(spec, stories));
        html.element("span", "written " + time(Instant.now()) + " UTC").raw("</div>");
        if (spec.isPresent()) {
            error(html, spec.get().error());
        }
        html.raw("</header><main>");
        if (spec.isPresent()) {
            overview(html, spec.get(), stories);
        }
        html.raw(
                "<form hidden role=search aria-label=\"Filter the calls\"><label>Text <input name=text type=search></label>"
                        + "<label>Agent <select name=agent><option value=\"\">all</option></select></label>"
                        + "<label>Tool <select name=tool><option value=\"\">all</option></select></label>"
                        + "<label>Outcome <select name=outcome><option value=\"\">all</option><option>succeeded</option>"
                        + "<option>failed</option></select></label><output></output></form>");
        StorySection sections = new StorySection(source, html);
        for (AuditLog.StoryRecord story : stories) {
            sections.write(story);
        }
        if (spec.isPresent()) {
            html.element("h2", "The architect's work on the specification");
            sections.calls(spec.get().id());
            sections.costs(spec.get().id());
        }
        html.raw("</main><script>").raw(SCRIPT).raw("</script></body></html>\n");
    }

    private static List<String> ids(Optional<AuditLog.SpecRecord> spec, List<AuditLog.StoryRecord> stories) {
        List<String> ids =
                new ArrayList<>(spec.map(AuditLog.SpecRecord::id).stream().toList());
        stories.forEach(story -> ids.add(story.id()));
        return ids;
    }

    private static void head(Html html, String title) throws IOException {
        html.raw("<!DOCTYPE html><html lang=en><head><meta charset=utf-8>"
                        + "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
                        + "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; base-uri 'none'; form-action"
                        + " 'none'; style-src '" + hash(STYLE) + "'; script-src '" + hash(SCRIPT) + "'\">")
                .element("title", title)
                .raw("<style>" + STYLE + "</style></head><body>");
    }

    private void overview(Html html, AuditLog.SpecRecord spec, List<AuditLog.StoryRecord> stories) throws IOException {
        html.raw("<details><summary>What was to be done</summary>")
                .element("pre", spec.content())
                .raw("</details>");
        new StoryGraph(stories).write(html);
        html.raw("<div class=wide><table><thead><tr><th>Story<th>Title<th>State<th class=number>Attempts<th>Commit"
                + "<th class=number>Tokens<th class=number>Dollars</tr></thead><tbody>");
        for (AuditLog.StoryRecord story : stories) {
            ReportSource.Sum sum = ReportSource.Sum.of(source.log().costs(story.id()));
            html.raw("<tr><td><a" + Html.attribute("href", "#" + anchor(story.id())) + ">")
                    .text(story.id())
                    .raw("</a>")
                    .element("td", story.title())
                    .raw("<td>");
            state(html, story.state().name());
            html.element("td class=number", String.valueOf(story.attempt()))
                    .element("td class=mono", shortened(story.mergeCommit()))
                    .element("td class=number", String.valueOf(sum.usage().totalTokens()))
                    .element("td class=number", dollars(sum));
        }
        html.raw("</tbody></table></div>");
    }

    private void cost(Html html, List<String> ids) throws IOException {
        ReportSource.Sum sum = ReportSource.Sum.of(
                ids.stream().flatMap(id -> source.log().costs(id).stream()).toList());
        html.raw("<span><b>")
                .text(String.valueOf(sum.usage().totalTokens()))
                .raw("</b> tokens, ")
                .text(sum.dollars() == null ? "cost not known" : dollars(sum) + " US dollars")
                .raw("</span>");
    }

    static String dollars(ReportSource.Sum sum) {
        return sum.dollars() == null
                ? "not known"
                : Objects.requireNonNull(sum.dollars()).toPlainString();
    }

    static void state(Html html, String state) throws IOException {
        html.element("span" + Html.attribute("class", "state " + state), state);
    }

    static void error(Html html, @Nullable String error) throws IOException {
        if (error != null) {
            html.element("p class=error", error);
        }
    }

    private static String shortened(@Nullable String commit) {
        return commit == null ? "" : commit.substring(0, Math.min(12, commit.length()));
    }

    static String time(Instant at) {
        return TIME.format(at);
    }

    static String duration(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%d.%03d s", seconds, time.toMillisPart());
        }
        Duration whole = time.truncatedTo(ChronoUnit.SECONDS);
        return whole.toHours() > 0
                ? String.format(
                        Locale.ROOT, "%d:%02d:%02d h", whole.toHours(), whole.toMinutesPart(), whole.toSecondsPart())
                : String.format(Locale.ROOT, "%d:%02d min", whole.toMinutes(), whole.toSecondsPart());
    }

    /** Where a link to a story leads; ids may hold any character. */
    static String anchor(String storyId) {
        return "story-"
                + Base64.getUrlEncoder().withoutPadding().encodeToString(storyId.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream("/io/maestro/report/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the resource " + name + " cannot be read", e);
        }
    }
}
