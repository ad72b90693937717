package io.maestro.budget.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request to a model counts, however it ends. */
class PaidRequestTest {
    /** A request of 10 tokens of output, which cost a dollar each; what is read is free. */
    private static final PriceTable PRICES =
            PriceTable.builder().model("m", Price.of("0", "1000000", "0", "0")).build();

    private static final LlmRequest QUESTION = new LlmRequest(
            new LlmRequest.Origin("coder-001", "042", "CODING"),
            "",
            List.of(new LlmMessage(LlmMessage.Role.USER, List.of(new LlmContent.Text("Hello")))),
            List.of(),
            10,
            OptionalDouble.empty());

    @TempDir
    Path directory;

    private Store store;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Account account(String session, int cap) {
        Limits limits = Limits.builder()
                .costCap(CostScope.STORY, BigDecimal.valueOf(cap))
                .build();
        return new CostControl(store.spending(), session, limits, PRICES::cost).story("042", null);
    }

    private BigDecimal spent() {
        return store.spending().spent(CostScope.STORY, "042");
    }

    private static LlmClient fails(RuntimeException failure) {
        return new LlmClient() {
            @Override
            public String model() {
                return "m";
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                throw failure;
            }
        };
    }

    private void fail(RuntimeException failure) {
        PaidRequest request = account("s1", 1000).reserve(QUESTION, 1, "m");
        assertThat(spent()).as("while it is under way").isGreaterThanOrEqualTo(BigDecimal.TEN);
        assertThatThrownBy(() -> request.send(fails(failure), QUESTION, LlmStreamListener.NONE))
                .isSameAs(failure);
    }

    @Test
    void whatWasCertainlyNotAnsweredCostsNothing() {
        fail(new LlmException("refused", null));
        fail(new LlmUnavailableException("overloaded", null, null, false));
        assertThat(spent()).isEqualByComparingTo("0");
    }

    @Test
    void whatMayBeChargedCountsWithTheMost() {
        fail(new LlmUnavailableException("the answer broke off", null, null));
        assertThat(spent()).isEqualByComparingTo("10");
        fail(new LlmInterruptedException("cancelled", null));
        fail(new IllegalStateException("a client's own"));
        assertThat(spent()).isEqualByComparingTo("30");
        fail(new LlmException("refused after an answer that broke off", null, true));
        fail(new LlmContextOverflowException("too long after an answer that broke off", null, true));
        assertThat(spent()).isEqualByComparingTo("50");
    }

    @Test
    void anAnswerCountsWithWhatItCost() {
        PaidRequest request = account("s1", 1000).reserve(QUESTION, 1, "m");
        request.record(store, answer("m", 3), new Usage(7, 3, 0, 0));
        request.failed(true);
        assertThat(spent()).isEqualByComparingTo("3");
        assertThat(store.messages("042")).hasSize(1);
        assertThat(store.costs("042"))
                .singleElement()
                .satisfies(cost -> assertThat(cost.dollars()).isEqualByComparingTo("3"));
    }

    private static AuditLog.Message answer(String model, long output) {
        return new AuditLog.Message(
                "s1",
                "042",
                1,
                "coder-001",
                "CODING",
                0,
                "assistant",
                "[]",
                model,
                null,
                7,
                output,
                0,
                0,
                Instant.now());
    }

    @Test
    void theAnswerOfAModelWithoutAPriceCostsWhatTheOneThatWasAskedCosts() {
        account("s1", 1000).reserve(QUESTION, 1, "m").record(store, answer("m-2027", 4), new Usage(7, 4, 0, 0));
        assertThat(spent()).isEqualByComparingTo("4");
    }

    @Test
    void aRequestIsWaitedForWhileItsProcessLivesAndSpentWhenItIsDead() {
        store.leases().acquire(List.of(Leases.story("042")), "s1", Duration.ofHours(1));
        account("s1", 10).reserve(QUESTION, 1, "m");
        assertThatThrownBy(() -> account("s2", 10).reserve(QUESTION, 1, "m"))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("with requests that are under way");

        store.leases().releaseAllBut("s2");
        assertThatThrownBy(() -> account("s2", 10).reserve(QUESTION, 1, "m"))
                .isInstanceOf(MaestroException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("10.00 US dollars of 10.00 US dollars are used up");
    }

    @Test
    void aModelWithoutAPriceIsNotAskedWhereTheCostIsLimited() {
        assertThatThrownBy(() -> account("s1", 10).reserve(QUESTION, 1, "unknown"))
                .hasMessageContaining("the price of the model unknown is not known");
        CostControl free = new CostControl(store.spending(), "s1", Limits.defaults(), PRICES::cost);
        PaidRequest request = free.story("042", null).reserve(QUESTION, 1, "unknown");
        request.record(store, answer("unknown", 4), new Usage(7, 4, 0, 0));
        assertThat(spent()).isEqualByComparingTo("0");
        assertThat(store.costs("042").get(0).dollars()).isNull();
    }

    /** What a vendor is sent of a schema may be longer than the schema. */
    @Test
    void aRequestHasTheSchemasThatAreSent() {
        Map<String, Object> part = Map.of("properties", Map.of("x", Map.of("description", "d".repeat(10_000))));
        InputSchema input = InputSchema.ofMap(Map.of("type", "object", "allOf", List.of(part)));
        ToolDefinition tool =
                ToolDefinition.builder("t").description("d").input(input).build();
        LlmRequest request =
                new LlmRequest(QUESTION.origin(), "", QUESTION.messages(), List.of(tool), 10, OptionalDouble.empty());
        assertThat(RequestSize.tokens(request)).isGreaterThan(11_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "é", "漢", "😀", "{\"a\": [1, 2]}\n"})
    void aRequestIsTakenForLargerThanItIs(String text) {
        LlmRequest request = new LlmRequest(
                QUESTION.origin(),
                text.repeat(1000),
                List.of(new LlmMessage(
                        LlmMessage.Role.USER,
                        List.of(new LlmContent.Text(text.repeat(1000)), new LlmContent.ToolUse("1", "a", "{}")))),
                List.of(),
                10,
                OptionalDouble.empty());
        long bytes = text.repeat(2000).getBytes(StandardCharsets.UTF_8).length;
        assertThat(RequestSize.tokens(request)).isBetween(1_000 + bytes / 2, 1_100 + bytes / 2);
    }
}
