package io.maestro.schema.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import io.maestro.internal.Effort;
import io.maestro.internal.Texts;
import io.maestro.llm.internal.PlainSchema;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Checks arguments against a tool's JSON Schema. Uses the String side of the validator only: its JSON types are those of
 * Jackson 2 or 3, depending on the version that a host brings. Safe for use by several threads.
 */
public final class InputValidator {
    /** Beyond this many characters only the first fault is looked for: a long input can have a million of them. */
    private static final int LONG_INPUT = 64 * 1024;

    private static final int LONGEST_PATTERN = 200;

    /** The name of a class before the message of its failure. */
    private static final Pattern CLASS = Pattern.compile("\\b(?:[a-z]\\w*\\.)+[A-Z]\\w*: ");

    private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";

    /** Of levels of a schema, as of arguments. */
    private static final int DEEPEST = 100;

    private static final int STEPS = 200_000;
    private static final int STEPS_FOR_CHARACTER = 20;
    private static final Duration TIME = Duration.ofSeconds(10);

    /** Of keywords in each other, at a level of the arguments a dozen: more of them refer to themselves without end. */
    private static final int DEEPEST_PATH = 12 * DEEPEST;

    private final JsonMapper mapper = new JsonMapper(JsonFactory.builder()
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());
    private final ConcurrentMap<String, CompiledSchema> compiled = new ConcurrentHashMap<>();

    /** Creates a validator that has compiled nothing yet. */
    public InputValidator() {}

    /**
     * Checks the arguments of a call.
     *
     * @param definition the tool
     * @param input the arguments as JSON text
     * @param arguments the same, read
     * @param redactor takes secrets out of what is quoted
     * @return one line per fault for the model, starting with the JSON path; empty when there is none
     * @throws IllegalArgumentException when the schema itself can't be used
     */
    public List<String> faults(
            ToolDefinition definition, String input, Map<String, Object> arguments, UnaryOperator<String> redactor) {
        CompiledSchema known = compiled.get(definition.name());
        if (known == null || !known.source.equals(definition.input())) {
            known = new CompiledSchema(definition.input(), compile(definition.input()));
            compiled.put(definition.name(), known);
        }
        return faults(known, input, arguments, redactor);
    }

    /**
     * Checks what is no tool's input.
     *
     * @param schema the schema
     * @param input the value as JSON text
     * @param value the same, read
     * @param redactor takes secrets out of what is quoted
     * @return one line per fault, starting with the JSON path; empty when there is none
     * @throws IllegalArgumentException when the schema itself can't be used
     */
    public List<String> faults(
            InputSchema schema, String input, Map<String, Object> value, UnaryOperator<String> redactor) {
        return faults(new CompiledSchema(schema, compile(schema)), input, value, redactor);
    }

    private static List<String> faults(
            CompiledSchema known, String input, Map<String, Object> value, UnaryOperator<String> redactor) {
        List<com.networknt.schema.Error> errors;
        try {
            errors = known.schema.validate(new BoundedContext(known.schema, input), input, InputFormat.JSON);
        } catch (Effort.Exhausted | CancellationException | StackOverflowError e) {
            return List.of("$: cannot be checked, its schema asks for too many steps; send less, or nest it less");
        }
        return errors.isEmpty() ? List.of() : new FaultMessages(known.source.asMap(), value, redactor).describe(errors);
    }

    /**
     * Checks a schema before anybody calls its tool: that it can be compiled, and that it and what vendors are sent of it follow
     * JSON Schema. One of an older draft, which allows other things, need not itself.
     *
     * @param source the schema
     * @throws IllegalArgumentException when there is something wrong with it; the message says what and where
     */
    public void check(InputSchema source) {
        compile(source);
        Set<InputSchema> checked = new LinkedHashSet<>();
        if (String.valueOf(source.asMap().getOrDefault("$schema", DRAFT)).startsWith(DRAFT)) {
            checked.add(newest(source.asMap()));
        }
        try {
            checked.add(newest(PlainSchema.of(source)));
            checked.add(newest(PlainSchema.withPlainNames(source)));
        } catch (RuntimeException e) { // of an older draft, whose rules nobody checks
            throw new IllegalArgumentException("its input schema can't be read: " + fault(e), e);
        }
        for (InputSchema one : checked) {
            if (!one.equals(source)) {
                compile(one);
            }
            requireRules(one);
        }
    }

    private static InputSchema newest(Map<String, Object> schema) {
        Map<String, Object> copy = new LinkedHashMap<>(schema);
        copy.remove("$schema");
        return InputSchema.ofMap(copy);
    }

    private void requireRules(InputSchema source) {
        List<com.networknt.schema.Error> errors = MetaSchema.RULES.validate(json(source), InputFormat.JSON);
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException("its input schema is no JSON Schema: "
                    + errors.stream().map(Object::toString).distinct().collect(Collectors.joining("; ")));
        }
    }

    private Schema compile(InputSchema source) {
        try {
            Schema schema = registry().getSchema(json(source), InputFormat.JSON);
            schema.initializeValidators();
            return schema;
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("its input schema can't be used: " + fault(e), e);
        }
    }

    /** Without names of classes, which say nothing to whoever has written the schema. */
    private static String fault(RuntimeException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PatternSyntaxException syntax) {
                return "the pattern " + Texts.clip(syntax.getPattern(), LONGEST_PATTERN) + " is no regular expression: "
                        + syntax.getDescription();
            }
        }
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? "it can't be read"
                : CLASS.matcher(message).replaceAll("");
    }

    private String json(InputSchema source) {
        try {
            return mapper.writeValueAsString(source.asMap());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its input schema can't be written as JSON: " + Texts.describe(e), e);
        }
    }

    /** One for each schema: two tools may use the same {@code $id}. It loads nothing from outside. */
    private static SchemaRegistry registry() {
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder -> builder.schemaLoader(loader -> loader.block(iri -> !isKnown(iri.toString())))
                        .schemaRegistryConfig(SchemaRegistryConfig.builder()
                                .pathType(PathType.JSON_PATH)
                                .locale(Locale.ENGLISH)
                                .losslessNarrowing(true)
                                .regularExpressionFactory(BoundedRegex::new)
                                .build()));
    }

    /** The published drafts, which come with the validator. */
    private static boolean isKnown(String iri) {
        return iri.startsWith("https://json-schema.org/") || iri.startsWith("http://json-schema.org/");
    }

    /** Loaded when it is first needed, which takes about 100 ms. It is a constant. */
    private static final class MetaSchema {
        static final Schema RULES = registry().getSchema(SchemaLocation.of(DRAFT));

        private MetaSchema() {}
    }

    /** Counts each keyword that is looked at: alternatives that refer to themselves can take years for sixty characters. */
    private static final class BoundedContext extends ExecutionContext {
        private final long begin = System.nanoTime();
        private final Effort effort;
        private int depth;

        BoundedContext(Schema schema, String input) {
            super(schema.createExecutionContext().getExecutionConfig());
            this.effort = new Effort(
                    "checking arguments with their schema", STEPS + (long) STEPS_FOR_CHARACTER * input.length());
            setFailFast(input.length() > LONG_INPUT);
        }

        @Override
        public void evaluationPathAddLast(String keyword) {
            effort.spend(1);
            // A step looks at all that was found before, so that many of them take long, too.
            if (++depth > DEEPEST_PATH || System.nanoTime() - begin > TIME.toNanos()) {
                throw new CancellationException("too deep, or too long");
            }
            super.evaluationPathAddLast(keyword);
        }

        @Override
        public void evaluationPathRemoveLast() {
            depth--;
            super.evaluationPathRemoveLast();
        }

        @Override
        public void evaluationPathAddLast(int index) {
            depth++;
            super.evaluationPathAddLast(index);
        }
    }

    private record CompiledSchema(InputSchema source, Schema schema) {}
}
