package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PriceTableTest {
    private static final Price CHEAP = Price.of("1", "2", "0.1", "1.25");
    private static final Price DEAR = Price.of("10", "20", "1", "12.5");

    @Test
    void addsUpEachKindOfTokenAtItsOwnPrice() {
        Price price = Price.of("3", "15", "0.30", "3.75");

        assertThat(price.cost(new Usage(1_000_000, 0, 0, 0))).isEqualByComparingTo("3");
        assertThat(price.cost(new Usage(0, 1_000_000, 0, 0))).isEqualByComparingTo("15");
        assertThat(price.cost(new Usage(0, 0, 1_000_000, 0))).isEqualByComparingTo("0.30");
        assertThat(price.cost(new Usage(0, 0, 0, 1_000_000))).isEqualByComparingTo("3.75");
        assertThat(price.cost(new Usage(0, 0, 0, 2_000_000, 1_000_000))).isEqualByComparingTo("9.75");
        assertThat(price.cost(new Usage(1, 1, 1, 1))).isEqualByComparingTo("0.00002205");
        assertThat(price.cost(Usage.NONE)).hasToString("0");
    }

    @ParameterizedTest
    @CsvSource({"3, 3.75, 6", "3, 6, 6", "3, 7, 7", "2, 2, 2", "2, 0, 0", "0, 0, 0"})
    void anHourOfACacheCostsTwiceAsMuchAsInputWhereACacheCostsMore(String input, String write, String hour) {
        assertThat(Price.of(input, "15", "0.30", write).cacheWriteHour()).isEqualByComparingTo(hour);
    }

    @Test
    void costsAreExactHoweverManyAreAddedUp() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Price price = Price.of("0.1", "0.7", "0.003", "0.30");
        Usage all = Usage.NONE;
        BigDecimal sum = BigDecimal.ZERO;
        for (int i = 0; i < 1000; i++) {
            Usage usage = new Usage(
                    random.nextInt(1_000_000), random.nextInt(9999), random.nextInt(9999), random.nextInt(9999));
            all = all.plus(usage);
            sum = sum.add(price.cost(usage));
        }

        assertThat(sum).as("seed %s", seed).isEqualByComparingTo(price.cost(all));
    }

    @Test
    void holdsMoreTokensThanAnyoneCanPay() {
        assertThat(DEAR.cost(new Usage(Long.MAX_VALUE, Long.MAX_VALUE, 0, 0)))
                .isEqualByComparingTo("276701161105643.27421");
    }

    @Test
    void aModelThatIsNotKnownHasNoCost() {
        assertThat(PriceTable.defaults().price("gpt-99")).isEmpty();
        assertThat(PriceTable.defaults().cost("gpt-99", new Usage(1, 1, 1, 1))).isEmpty();
        assertThat(PriceTable.builder().build().cost("claude-sonnet-5", Usage.NONE))
                .isEmpty();
        assertThat(PriceTable.builder().prefix("claude-", CHEAP).build().price(""))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "claude-sonnet-5, 2, 10, 0.20, 2.50",
        "claude-sonnet-4-5-20250929, 3, 15, 0.30, 3.75",
        "claude-opus-4-20250514, 15, 75, 1.50, 18.75",
        "claude-opus-4-5, 5, 25, 0.50, 6.25",
        "claude-haiku-4-5-20251001, 1, 5, 0.10, 1.25",
        "gpt-4.1-2025-04-14, 2, 8, 0.50, 2",
        "gpt-5-mini, 0.25, 2, 0.025, 0.25",
        "gpt-4o-2024-05-13, 5, 15, 5, 5",
        "gpt-4o-2024-08-06, 2.50, 10, 1.25, 2.50",
    })
    void knowsListPrices(String model, String input, String output, String cacheRead, String cacheWrite) {
        assertThat(PriceTable.defaults().price(model)).contains(Price.of(input, output, cacheRead, cacheWrite));
    }

    /** Their names begin as those of known models do, their prices are others. */
    @ParameterizedTest
    @ValueSource(
            strings = {"gpt-5-pro", "o3-pro", "gpt-5.9", "claude-opus-4-9", "claude-haiku-5-5", "gpt-4o-2024-05-13x"})
    void takesNoModelForAnother(String model) {
        assertThat(PriceTable.defaults().price(model)).isEmpty();
    }

    @Test
    void theLongestPrefixWins() {
        PriceTable table = PriceTable.builder()
                .prefix("claude-sonnet-4", DEAR)
                .prefix("claude-", CHEAP)
                .build();

        assertThat(table.price("claude-sonnet-4-9")).contains(DEAR);
        assertThat(table.price("claude-sonnet-4")).contains(DEAR);
        assertThat(table.price("claude-sonnet-3")).contains(CHEAP);
        assertThat(table.price("claude")).isEmpty();
        assertThat(table.price("my-claude-sonnet-4")).isEmpty();
    }

    @Test
    void aNameGoesBeforeAPrefixAndASnapshotBeforeItsModel() {
        Price special = Price.of("7", "7", "7", "7");
        PriceTable table = PriceTable.builder()
                .prefix("claude-sonnet-4-5", DEAR)
                .model("claude-sonnet-4-5", CHEAP)
                .model("claude-sonnet-4-5-20250929", special)
                .build();

        assertThat(table.price("claude-sonnet-4-5")).contains(CHEAP);
        assertThat(table.price("claude-sonnet-4-5-20251111")).contains(CHEAP);
        assertThat(table.price("claude-sonnet-4-5-20250929")).contains(special);
        assertThat(table.price("claude-sonnet-4-5-fast")).contains(DEAR);
    }

    @Test
    void aHostOverridesAndAddsWithoutChangingTheDefaults() {
        PriceTable own = PriceTable.defaults().toBuilder()
                .model("claude-sonnet-5", DEAR)
                .model("local", Price.of("0", "0", "0", "0"))
                .build();

        assertThat(own.price("claude-sonnet-5")).contains(DEAR);
        assertThat(own.cost("local", new Usage(1, 1, 1, 1)))
                .hasValueSatisfying(cost -> assertThat(cost).isEqualByComparingTo("0"));
        assertThat(own.price("claude-opus-4-5")).isEqualTo(PriceTable.defaults().price("claude-opus-4-5"));
        assertThat(PriceTable.defaults().price("claude-sonnet-5")).isNotEqualTo(own.price("claude-sonnet-5"));
        assertThat(own.toBuilder().build().price("local")).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"-1,0,0,0", "0,-0.01,0,0", "0,0,-1,0", "0,0,0,-1", "x,0,0,0", "NaN,0,0,0"})
    void refusesWhatIsNoPrice(String input, String output, String cacheRead, String cacheWrite) {
        assertThatThrownBy(() -> Price.of(input, output, cacheRead, cacheWrite))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be");
    }

    @Test
    void refusesCountsThatCannotBe() {
        assertThatThrownBy(() -> CHEAP.cost(new Usage(0, 0, -1, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    @Test
    void refusesNamesThatAreBlank() {
        assertThatThrownBy(() -> PriceTable.builder().model(" ", CHEAP)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PriceTable.builder().prefix("", CHEAP)).isInstanceOf(IllegalArgumentException.class);
    }
}
