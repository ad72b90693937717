package io.maestro.report.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.maestro.audit.AuditLog;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes a report as JSON, piece by piece. */
public final class JsonReport {
    private final ReportSource source;

    /** A report on what the source has. */
    public JsonReport(ReportSource source) {
        this.source = source;
    }

    /** Writes all of it; the writer stays open. */
    public void write(Writer out) throws IOException {
        try (JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("id", source.id());
            json.writeStringField("written_at", Instant.now().toString());
            Optional<AuditLog.SpecRecord> spec = source.spec();
            json.writeStringField("kind", spec.isPresent() ? "specification" : "story");
            if (spec.isPresent()) {
                spec(json, spec.get());
            }
            json.writeArrayFieldStart("stories");
            for (AuditLog.StoryRecord story : source.stories()) {
                story(json, story);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private void spec(JsonGenerator json, AuditLog.SpecRecord spec) throws IOException {
        json.writeStringField("title", spec.title());
        json.writeStringField("content", spec.content());
        json.writeStringField("state", spec.state().name());
        text(json, "error", spec.error());
        json.writeArrayFieldStart("transitions");
        for (AuditLog.SpecTransition change : source.log().specTransitions(spec.id())) {
            json.writeStartObject();
            json.writeStringField("at", change.at().toString());
            json.writeStringField("agent", change.agentId());
            json.writeStringField("from", change.from().name());
            json.writeStringField("to", change.to().name());
            json.writeStringField("reason", change.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        work(json, spec.id());
    }

    private void story(JsonGenerator json, AuditLog.StoryRecord story) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", story.id());
        json.writeStringField("title", story.title());
        json.writeStringField("content", story.content());
        json.writeStringField("type", story.type());
        json.writeStringField("state", story.state().name());
        json.writeNumberField("attempt", story.attempt());
        text(json, "coder", story.agentId());
        text(json, "branch", story.branch());
        text(json, "merge_commit", story.mergeCommit());
        text(json, "error", story.error());
        text(json, "tests", ReportSource.tests(story));
        json.writeArrayFieldStart("depends_on");
        for (String one : story.dependsOn()) {
            json.writeString(one);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("transitions");
        for (AuditLog.StateTransition change : source.log().transitions(story.id())) {
            json.writeStartObject();
            json.writeStringField("at", change.at().toString());
            json.writeNumberField("attempt", change.attempt());
            json.writeStringField("agent", change.agentId());
            json.writeStringField("from", change.from().name());
            json.writeStringField("to", change.to().name());
            json.writeStringField("reason", change.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("requests");
        Map<String, List<ReportSource.Vote>> votes = ReportSource.votes(source.log(), story.id());
        for (AuditLog.Effect effect : source.requests(story.id())) {
            request(json, effect, votes.getOrDefault(effect.id(), List.of()));
        }
        json.writeEndArray();
        work(json, story.id());
        text(json, "todos", source.log().todos(story.id(), story.attempt()).orElse(null));
        json.writeArrayFieldStart("chat");
        for (AuditLog.ChatPost post : source.chat(story.id())) {
            json.writeStartObject();
            json.writeStringField("at", post.at().toString());
            json.writeStringField("author", post.author());
            json.writeStringField("text", post.text());
            json.writeEndObject();
        }
        json.writeEndArray();
        text(json, "diff", source.diff(story).orElse(null));
        json.writeEndObject();
    }

    private static void request(JsonGenerator json, AuditLog.Effect effect, List<ReportSource.Vote> votes)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("id", effect.id());
        json.writeStringField("kind", effect.kind());
        json.writeNumberField("attempt", effect.attempt());
        json.writeStringField("agent", effect.agentId());
        json.writeStringField("at", effect.requestedAt().toString());
        json.writeObjectFieldStart("facts");
        for (Map.Entry<String, String> fact :
                RecordedReply.facts(effect.id(), effect.request()).entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeEndObject();
        String reply = effect.reply();
        if (reply != null) {
            RecordedReply given = RecordedReply.read(effect.id(), reply);
            json.writeStringField("decision", given.decision());
            json.writeStringField("message", given.message());
            text(json, "by", given.by().isEmpty() ? null : given.by());
            text(json, "changed_plan", given.plan());
            json.writeStringField("replied_at", String.valueOf(effect.repliedAt()));
        }
        if (!votes.isEmpty()) {
            json.writeArrayFieldStart("votes");
            for (ReportSource.Vote vote : votes) {
                json.writeStartObject();
                json.writeStringField("person", vote.person());
                json.writeStringField("decision", vote.decision());
                json.writeStringField("message", vote.message());
                json.writeStringField("at", vote.at().toString());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    /** What agents have done for a story or a specification, and what it has cost. */
    private void work(JsonGenerator json, String id) throws IOException {
        json.writeArrayFieldStart("calls");
        source.calls(id, call -> {
            json.writeStartObject();
            json.writeStringField("at", call.at().toString());
            json.writeStringField("agent", call.agentId());
            json.writeNumberField("attempt", call.attempt());
            json.writeStringField("state", call.state());
            json.writeStringField("tool", call.tool());
            json.writeStringField("call_id", call.callId());
            text(json, "parent_call_id", call.parentCallId());
            json.writeStringField("parameters", call.parameters());
            text(json, "result", call.result());
            text(json, "error", call.error());
            Integer exitCode = call.exitCode();
            if (exitCode != null) {
                json.writeNumberField("exit_code", exitCode);
            }
            json.writeNumberField("duration_millis", call.durationMillis());
            json.writeEndObject();
        });
        json.writeEndArray();
        json.writeArrayFieldStart("costs");
        List<AuditLog.Cost> costs = source.log().costs(id);
        for (AuditLog.Cost cost : costs) {
            json.writeStartObject();
            json.writeNumberField("attempt", cost.attempt());
            json.writeStringField("agent", cost.agentId());
            json.writeStringField("state", cost.state());
            json.writeStringField("model", cost.model());
            json.writeNumberField("requests", cost.requests());
            usage(json, cost.usage(), cost.dollars());
            json.writeEndObject();
        }
        json.writeEndArray();
        ReportSource.Sum sum = ReportSource.Sum.of(costs);
        json.writeObjectFieldStart("total");
        usage(json, sum.usage(), sum.dollars());
        json.writeEndObject();
    }

    private static void usage(JsonGenerator json, Usage usage, @Nullable BigDecimal dollars) throws IOException {
        json.writeNumberField("input_tokens", usage.inputTokens());
        json.writeNumberField("output_tokens", usage.outputTokens());
        json.writeNumberField("cache_read_tokens", usage.cacheReadTokens());
        json.writeNumberField("cache_write_tokens", usage.cacheWriteTokens());
        text(json, "dollars", dollars == null ? null : dollars.toPlainString());
    }

    private static void text(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }
}
