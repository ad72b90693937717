package io.maestro.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.record.AuditLog;
import java.io.IOException;
import java.io.Writer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes a report as JSON, piece by piece. */
public final class JsonReport {
    private final ReportSource source;

    /** A report on what the source has. */
    public JsonReport(ReportSource source) {
        this.source = source;
    }

    /** Writes all of it; the writer stays open. */
    public void write(Writer out) throws IOException {
        try (JsonGenerator json = RowJson.generator(out)) {
            Optional<AuditLog.SpecRecord> spec = source.spec();
            json.writeStartObject();
            json.writeStringField("written_at", Instant.now().toString());
            json.writeStringField("kind", spec.isPresent() ? "specification" : "story");
            if (spec.isPresent()) {
                fields(json, RowJson.of(spec.get()));
                json.writeObjectField("transitions", RowJson.of(source.log().specTransitions(source.id())));
                work(json, source.id());
            } else {
                json.writeStringField("id", source.id());
            }
            json.writeArrayFieldStart("stories");
            for (AuditLog.StoryRecord story : source.stories()) {
                story(json, story);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private void story(JsonGenerator json, AuditLog.StoryRecord story) throws IOException {
        AuditLog log = source.log();
        ObjectNode row = RowJson.of(story);
        row.set("transitions", RowJson.of(log.transitions(story.id())));
        row.set("requests", RowJson.requests(log, story.id()));
        row.set("chat", RowJson.of(source.chat(story.id())));
        Optional.ofNullable(ReportSource.tests(story)).ifPresent(tests -> row.put("tests", tests));
        log.todos(story.id(), story.attempt()).ifPresent(todos -> row.put("todos", todos));
        source.diff(story).ifPresent(diff -> row.put("diff", diff));
        json.writeStartObject();
        fields(json, row);
        work(json, story.id());
        json.writeEndObject();
    }

    private static void fields(JsonGenerator json, ObjectNode row) throws IOException {
        for (Map.Entry<String, JsonNode> field : row.properties()) {
            json.writeObjectField(field.getKey(), field.getValue());
        }
    }

    /** What agents have done for a story or a specification, and what it has cost. */
    private void work(JsonGenerator json, String id) throws IOException {
        json.writeArrayFieldStart("calls");
        source.calls(id, call -> json.writeObject(RowJson.of(call)));
        json.writeEndArray();
        List<AuditLog.Cost> costs = source.log().costs(id);
        json.writeObjectField("costs", RowJson.of(costs));
        json.writeObjectField("total", RowJson.of(ReportSource.Sum.of(costs)));
    }
}
