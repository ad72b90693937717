package io.maestro.bench;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.maestro.schema.internal.InputReader;
import io.maestro.schema.internal.InputValidator;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Ways to check the same arguments against the same schema. {@link ValidationBench} runs them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Validations {
    static final String GOOD = "{\"summary\":\"Adds a health endpoint\",\"confidence\":90,\"risk\":\"low\",\"steps\":["
            + "{\"title\":\"endpoint\",\"files\":[\"src/Health.java\",\"src/App.java\"]},"
            + "{\"title\":\"test\",\"files\":[\"src/HealthTest.java\"],\"minutes\":10}]}";
    static final String BAD = GOOD.replace("90", "900").replace("\"title\":\"test\"", "\"titel\":\"test\"");

    private static final ToolDefinition TOOL = ToolDefinition.builder("submit_plan")
            .description("Submits a plan")
            .input(schema -> schema.requiredString("summary", "What changes")
                    .required("confidence", Property.integer("In percent").between(0, 100))
                    .optional("risk", Property.oneOf("How risky", "low", "medium", "high"))
                    .required(
                            "steps",
                            Property.array(
                                            "What is done",
                                            Property.object(
                                                    "A step",
                                                    step -> step.requiredString("title", "Its name")
                                                            .optional(
                                                                    "files",
                                                                    Property.array("Paths", Property.string("")))
                                                            .optionalInteger("minutes", "How long it takes")))
                                    .minItems(1)))
            .build();

    /** Whether the arguments fit. */
    @Param({"true", "false"})
    public boolean good;

    private final InputReader reader = new InputReader();
    private final InputValidator validator = new InputValidator();
    private final String json = json();
    private final Schema cached = compiled();

    private static String json() {
        try {
            return new com.fasterxml.jackson.databind.json.JsonMapper()
                    .writeValueAsString(TOOL.input().asMap());
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private Schema compiled() {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(json, InputFormat.JSON);
    }

    private String arguments() {
        return good ? GOOD : BAD;
    }

    /** Read strictly, checked, and each fault in words for a model. */
    @Benchmark
    public List<String> maestro() throws InputReader.BadInput {
        String arguments = arguments();
        return validator.faults(TOOL, arguments, reader.read(arguments), text -> text);
    }

    /** The validator alone, of a schema that is kept. */
    @Benchmark
    public List<Error> networkntCached() {
        return cached.validate(arguments(), InputFormat.JSON);
    }

    /** The validator alone, as it is used where nobody thinks of keeping the schema. */
    @Benchmark
    public List<Error> networkntFresh() {
        return compiled().validate(arguments(), InputFormat.JSON);
    }
}
