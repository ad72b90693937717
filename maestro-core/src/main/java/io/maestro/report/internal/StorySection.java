package io.maestro.report.internal;

import io.maestro.agent.Architect;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes what a report says of each story. */
final class StorySection {
    /** Characters of a parameter or an answer; the JSON has all of it. */
    private static final int MOST = 20_000;

    /** A fact with more lines is folded. */
    private static final int FOLDED_LINES = 20;

    /** Units of a drawing's width. */
    private static final int WIDTH = 1_000;

    private static final int LANE = 22;

    private final ReportSource source;
    private final Html html;
    private int calls;

    StorySection(ReportSource source, Html html) {
        this.source = source;
        this.html = html;
    }

    /** A call, as far as the timeline needs it. */
    private record Bar(String agent, String tool, boolean failed, Instant from, long millis) {
        Instant until() {
            return from.plusMillis(millis);
        }
    }

    void write(AuditLog.StoryRecord story) throws IOException {
        html.raw("<section" + Html.attribute("id", HtmlReport.anchor(story.id())) + ">")
                .element("h2", story.id() + ": " + story.title())
                .raw("<div class=facts>");
        HtmlReport.state(html, story.state().name());
        html.element("span", "attempt " + story.attempt());
        fact("coder", story.agentId());
        fact("branch", story.branch());
        fact("merged as", story.mergeCommit());
        fact("tests", ReportSource.tests(story));
        html.raw("</div>");
        HtmlReport.error(html, story.error());
        html.raw("<details><summary>What was to be done</summary>")
                .element("pre", story.content())
                .raw("</details>");
        states(ReportSource.stays(source.log().transitions(story.id()), story.updatedAt()));
        requests(story.id());
        calls(story.id());
        costs(story.id());
        chat(story.id());
        Optional<String> todos = source.log().todos(story.id(), story.attempt());
        if (todos.isPresent()) {
            html.raw("<details><summary>Todos</summary>")
                    .element("pre", todos.get())
                    .raw("</details>");
        }
        diff(source.diff(story));
        html.raw("</section>");
    }

    private void fact(String name, @Nullable String value) throws IOException {
        if (value != null) {
            html.raw("<span>")
                    .text(name + " ")
                    .raw("<bdi class=mono>")
                    .text(value)
                    .raw("</bdi></span>");
        }
    }

    private static String kind(CoderState state) {
        return switch (state) {
            case PLANNING, CODING, TESTING, SETUP, PREPARE_MERGE -> "s0";
            case PLAN_REVIEW, CODE_REVIEW, BUDGET_REVIEW, QUESTION, AWAIT_MERGE -> "s1";
            case WAITING, SUSPEND -> "s2";
            case DONE -> "s3";
            case ERROR -> "s4";
        };
    }

    private void states(List<ReportSource.Stay> stays) throws IOException {
        if (stays.isEmpty()) {
            return;
        }
        long all = Math.max(
                1,
                Duration.between(
                                stays.get(0).from(), stays.get(stays.size() - 1).until())
                        .toMillis());
        html.raw("<h3>States</h3><svg role=img aria-label=\"The states over time\" viewBox=\"0 0 " + WIDTH
                + " 16\" height=16 preserveAspectRatio=none>");
        for (ReportSource.Stay stay : stays) {
            html.raw("<rect class=" + kind(stay.state()) + " y=0 height=16 x="
                            + Duration.between(stays.get(0).from(), stay.from()).toMillis() * WIDTH / all + " width="
                            + Math.max(1, stay.time().toMillis() * WIDTH / all) + "><title>")
                    .text(stay.state() + " " + HtmlReport.duration(stay.time()))
                    .raw("</title></rect>");
        }
        html.raw("</svg><details><summary>")
                .text(stays.size() + " changes of state, ")
                .text(HtmlReport.duration(Duration.ofMillis(all)))
                .raw(
                        "</summary><div class=wide><table><thead><tr><th>Time<th>State<th class=number>For<th>Why</tr></thead>"
                                + "<tbody>");
        for (ReportSource.Stay stay : stays) {
            html.raw("<tr>")
                    .element("td class=time", HtmlReport.time(stay.from()))
                    .element("td", stay.state().name())
                    .element("td class=number", HtmlReport.duration(stay.time()))
                    .element("td", stay.reason());
        }
        html.raw("</tbody></table></div></details>");
    }

    private void requests(String storyId) throws IOException {
        List<AuditLog.Effect> requests = ReportSource.requests(source.log(), storyId);
        if (requests.isEmpty()) {
            return;
        }
        html.raw("<h3>What was asked and decided</h3>");
        Map<String, List<ReportSource.Vote>> votes = ReportSource.votes(source.log(), storyId);
        for (AuditLog.Effect request : requests) {
            html.raw("<details><summary>")
                    .element("span class=time", HtmlReport.time(request.requestedAt()))
                    .element("b", request.kind() + " ");
            String reply = request.reply();
            RecordedReply given = reply == null ? null : RecordedReply.read(request.id(), reply);
            if (given == null) {
                html.text("waits for an answer");
            } else {
                html.element("span" + Html.attribute("class", given.decision()), decision(request, given))
                        .text(given.by().isEmpty() ? "" : " by " + given.by())
                        .text(given.message().isBlank() ? "" : ": " + oneLine(given.message()));
            }
            html.raw("</summary>");
            for (ReportSource.Vote vote : votes.getOrDefault(request.id(), List.of())) {
                html.raw("<div>")
                        .element("span class=time", HtmlReport.time(vote.at()) + " ")
                        .element("b", vote.person())
                        .text(" has decided ")
                        .element("span" + Html.attribute("class", vote.decision()), vote.decision())
                        .text(vote.message().isBlank() ? "" : ": " + vote.message())
                        .raw("</div>");
            }
            for (Map.Entry<String, String> fact :
                    RecordedReply.facts(request.id(), request.request()).entrySet()) {
                if (fact.getValue().lines().count() > FOLDED_LINES) {
                    html.raw("<details><summary>")
                            .element("span class=dim", fact.getKey())
                            .raw("</summary>")
                            .element("pre", fact.getValue())
                            .raw("</details>");
                } else {
                    html.element("div class=dim", fact.getKey()).element("pre", fact.getValue());
                }
            }
            if (given != null) {
                html.element("div class=dim", "the answer").element("pre", given.message());
                if (given.plan() != null) {
                    html.element("div class=dim", "the plan as it was approved").element("pre", given.plan());
                }
            }
            html.raw("</details>");
        }
    }

    /** A question is answered, not approved. */
    private static String decision(AuditLog.Effect request, RecordedReply given) {
        return request.kind().equals(Architect.Kind.QUESTION.name())
                        && given.decided()
                                .filter(made -> made != Architect.Decision.REJECTED)
                                .isPresent()
                ? "answered"
                : given.decision();
    }

    /** The calls for a story or a specification. */
    void calls(String id) throws IOException {
        List<Bar> bars = new ArrayList<>();
        source.calls(
                id,
                call -> bars.add(new Bar(
                        call.agentId(), call.tool(), ReportSource.failed(call), call.at(), call.durationMillis())));
        if (bars.isEmpty()) {
            return;
        }
        long failures = bars.stream().filter(Bar::failed).count();
        html.element("h3", bars.size() + " calls of tools, " + failures + " failed");
        timeline(bars);
        source.calls(id, this::call);
    }

    private void timeline(List<Bar> bars) throws IOException {
        Map<String, Integer> lanes = new LinkedHashMap<>();
        bars.forEach(bar -> lanes.putIfAbsent(bar.agent(), lanes.size()));
        Instant from = bars.stream().map(Bar::from).min(Instant::compareTo).orElseThrow();
        Instant until = bars.stream().map(Bar::until).max(Instant::compareTo).orElseThrow();
        long all = Math.max(1, Duration.between(from, until).toMillis());
        for (Map.Entry<String, Integer> lane : lanes.entrySet()) {
            html.element("div class=dim", lane.getKey())
                    .raw("<svg viewBox=\"0 0 " + WIDTH + " " + LANE + "\" height=" + LANE
                            + " preserveAspectRatio=none><rect class=lane width=" + WIDTH + " height=" + LANE
                            + "></rect>");
            for (int i = 0; i < bars.size(); i++) {
                Bar bar = bars.get(i);
                if (bar.agent().equals(lane.getKey())) {
                    html.raw("<a href=\"#call-" + (calls + i) + "\"><rect class=\"bar" + (bar.failed() ? " failed" : "")
                                    + "\" y=3 height=" + (LANE - 6) + " x="
                                    + Duration.between(from, bar.from()).toMillis() * WIDTH / all + " width="
                                    + Math.max(2, bar.millis() * WIDTH / all) + "><title>")
                            .text(bar.tool() + " " + HtmlReport.duration(Duration.ofMillis(bar.millis())))
                            .raw("</title></rect></a>");
                }
            }
            html.raw("</svg>");
        }
    }

    private void call(AuditLog.ToolExecution call) throws IOException {
        String outcome = ReportSource.failed(call) ? "failed" : "succeeded";
        html.raw("<details class=\"call " + outcome + "\" id=call-" + calls++
                        + Html.attribute("data-agent", call.agentId()) + Html.attribute("data-tool", call.tool())
                        + "><summary>")
                .element("span class=time", HtmlReport.time(call.at()))
                .element("span class=dim", call.agentId() + " ")
                .element("b class=tool", call.tool())
                .element("span class=outcome", outcome)
                .element("span class=time", HtmlReport.duration(Duration.ofMillis(call.durationMillis())))
                .element("bdi class=mono", oneLine(call.parameters()))
                .raw("</summary>");
        html.element(
                "div class=dim",
                "in " + call.state() + ", attempt " + call.attempt() + ", call " + call.callId()
                        + (call.parentCallId() == null ? "" : ", made by call " + call.parentCallId())
                        + (call.exitCode() == null ? "" : ", exit code " + call.exitCode()));
        html.element("pre", cut(call.parameters()));
        if (call.error() != null) {
            html.element("pre class=error", cut(call.error()));
        }
        if (call.result() != null) {
            html.element("pre", cut(call.result()));
        }
        html.raw("</details>");
    }

    void costs(String id) throws IOException {
        List<AuditLog.Cost> costs = source.log().costs(id);
        if (costs.isEmpty()) {
            return;
        }
        html.raw("<h3>Cost</h3><div class=wide><table><thead><tr><th>Agent<th>State<th>Model<th class=number>Attempt"
                + "<th class=number>Requests<th class=number>Tokens read<th class=number>From a cache<th class=number>Written"
                + "<th class=number>Dollars</tr></thead><tbody>");
        for (AuditLog.Cost cost : costs) {
            html.raw("<tr>")
                    .element("td", cost.agentId())
                    .element("td", cost.state())
                    .element("td", cost.model())
                    .element("td class=number", String.valueOf(cost.attempt()))
                    .element("td class=number", String.valueOf(cost.requests()))
                    .element(
                            "td class=number",
                            String.valueOf(
                                    cost.usage().inputTokens() + cost.usage().cacheWriteTokens()))
                    .element("td class=number", String.valueOf(cost.usage().cacheReadTokens()))
                    .element("td class=number", String.valueOf(cost.usage().outputTokens()))
                    .element(
                            "td class=number",
                            cost.dollars() == null
                                    ? "not known"
                                    : cost.dollars().toPlainString());
        }
        html.raw("</tbody></table></div>");
    }

    private void chat(String storyId) throws IOException {
        List<AuditLog.ChatPost> posts = source.chat(storyId);
        if (posts.isEmpty()) {
            return;
        }
        html.raw("<h3>Said to all</h3>");
        for (AuditLog.ChatPost post : posts) {
            html.raw("<div>")
                    .element("span class=time", HtmlReport.time(post.at()) + " ")
                    .element("b", post.author())
                    .element("pre", post.text())
                    .raw("</div>");
        }
    }

    private void diff(Optional<String> diff) throws IOException {
        if (diff.isEmpty()) {
            return;
        }
        html.raw("<details open><summary>What was merged</summary><pre class=diff>");
        for (String line : diff.get().split("\n", -1)) {
            html.element("span" + style(line), line);
        }
        html.raw("</pre></details>");
    }

    private static String style(String line) {
        if (line.startsWith("diff ") || line.startsWith("+++") || line.startsWith("---")) {
            return " class=file";
        }
        if (line.startsWith("@@")) {
            return " class=hunk";
        }
        return line.startsWith("+") ? " class=add" : line.startsWith("-") ? " class=del" : "";
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= 120 ? line : line.substring(0, 119) + "…";
    }

    private static String cut(String text) {
        return text.length() <= MOST
                ? text
                : text.substring(0, MOST) + "\n… (" + (text.length() - MOST)
                        + " more characters in the report as JSON)";
    }
}
