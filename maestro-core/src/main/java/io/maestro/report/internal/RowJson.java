package io.maestro.report.internal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.record.AuditLog;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The one JSON form of the record's rows, for reports and for the monitor's page: names in snake case, times in ISO 8601, dollars as
 * text, and nothing where there is null.
 */
public final class RowJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addSerializer(BigDecimal.class, new ToStringSerializerBase(BigDecimal.class) {
                        private static final long serialVersionUID = 1L;

                        @Override
                        public String valueToString(Object value) {
                            return ((BigDecimal) value).toPlainString();
                        }
                    }))
            .build();

    private RowJson() {}

    /** A row of the record, without what only Maestro reads in it. */
    public static ObjectNode of(Record row) {
        ObjectNode json = JSON.valueToTree(row);
        json.remove("data");
        return json;
    }

    /** The rows, in their order. */
    public static ArrayNode of(List<? extends Record> rows) {
        ArrayNode json = JSON.createArrayNode();
        rows.forEach(row -> json.add(of(row)));
        return json;
    }

    /** What a story's coders have asked, with the facts and what was decided. */
    public static ArrayNode requests(AuditLog log, String storyId) {
        ArrayNode json = JSON.createArrayNode();
        Map<String, List<ReportSource.Vote>> votes = ReportSource.votes(log, storyId);
        for (AuditLog.Effect effect : ReportSource.requests(log, storyId)) {
            ObjectNode request = of(effect).without(List.of("request", "reply"));
            request.set("facts", JSON.valueToTree(RecordedReply.facts(effect.id(), effect.request())));
            String reply = effect.reply();
            if (reply != null) {
                request.setAll(of(RecordedReply.read(effect.id(), reply)));
            }
            request.set("votes", of(votes.getOrDefault(effect.id(), List.of())));
            json.add(request);
        }
        return json;
    }

    /** Writes trees and rows on several lines; the writer stays open. */
    static JsonGenerator generator(Writer out) throws IOException {
        return JSON.createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
    }
}
