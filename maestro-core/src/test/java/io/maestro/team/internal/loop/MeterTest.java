package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.CostControl;
import io.maestro.error.MaestroException;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cost, and what an earlier life has used; tokens and time are in {@link TeamPartsTest}. */
class MeterTest {
    private static final PriceTable PRICES = PriceTable.builder()
            .model("dear", Price.of("1000000", "0", "0", "0"))
            .model("cheap", Price.of("1", "0", "0", "0"))
            .build();
    private static final Usage ONE = new Usage(1, 0, 0, 0);

    private static Limits limit(String dollars) {
        return Limits.builder().costPerStory(new BigDecimal(dollars)).build();
    }

    @Test
    void theModelThatAnsweredCountsElseTheOneThatWasAsked() {
        Meter meter = new Meter(Limits.defaults(), PRICES::cost);
        meter.add("cheap", "dear", ONE);
        assertThat(meter.cost()).isEqualByComparingTo("1");
        meter.add("dear", "unknown", ONE);
        assertThat(meter.cost()).isEqualByComparingTo("2");
        meter.add("unknown", "unknown", ONE);
        assertThat(meter.cost()).isEqualByComparingTo("2");
        assertThat(meter.usage().inputTokens()).isEqualTo(3);
        assertThat(meter.exceeded()).isEmpty();
    }

    @Test
    void anUnknownPriceIsAnErrorWhenTheCostIsLimited() {
        Meter meter = new Meter(limit("5"), PRICES::cost);
        meter.account().reserve("a", "CODING", 1, "dear", 1, 1);
        assertThatThrownBy(() -> meter.account().reserve("a", "CODING", 1, "unknown", 1, 1))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the price of the model unknown is not known");
        assertThatThrownBy(() -> meter.add("unknown", "other", ONE)).hasMessageContaining("the model other");
        assertThat(meter.usage()).isEqualTo(ONE);
        new Meter(Limits.defaults(), PRICES::cost).account().reserve("a", "CODING", 1, "unknown", 1, 1);
    }

    @Test
    void aGrantGivesTheCostOnceMore() {
        Meter meter = new Meter(limit("1.5"), PRICES::cost);
        meter.add("dear", "dear", ONE);
        assertThat(meter.exceeded()).isEmpty();
        meter.add("dear", "dear", ONE);
        assertThat(meter.exceeded()).contains("2.00 US dollars of 1.50 US dollars are used up");
        meter.grant();
        assertThat(meter.exceeded()).isEmpty();
        meter.add("dear", "dear", ONE);
        assertThat(meter.exceeded()).contains("3.00 US dollars of 3.00 US dollars are used up");
    }

    @Test
    void aMeterGoesOnWithWhatAnEarlierLifeHasUsed() {
        Usage used = new Usage(40, 30, 20, 9);
        Limits limits = Limits.builder()
                .tokensPerStory(50)
                .timePerStory(Duration.ofDays(1))
                .costPerStory(new BigDecimal("10"))
                .build();
        Meter meter = new Meter(
                limits,
                PRICES::cost,
                new UsageTotals(used, new BigDecimal("7.25"), true),
                Duration.ofHours(30),
                1,
                CostControl.unrecorded(limits, PRICES::cost));
        assertThat(meter.usage()).isEqualTo(used);
        assertThat(meter.cost()).isEqualByComparingTo("7.25");
        assertThat(meter.grants()).isEqualTo(1);
        assertThat(meter.elapsed()).isBetween(Duration.ofHours(30), Duration.ofHours(31));
        assertThat(meter.exceeded()).isEmpty();

        meter.add("cheap", "cheap", ONE);
        assertThat(meter.exceeded()).contains("100 of 100 tokens are used up");
        meter.grant();
        assertThat(meter.grants()).isEqualTo(2);
        assertThat(meter.exceeded()).isEmpty();
        assertThat(new Meter(
                                limits,
                                PRICES::cost,
                                new UsageTotals(Usage.NONE, new BigDecimal("20"), true),
                                Duration.ZERO,
                                1,
                                CostControl.unrecorded(limits, PRICES::cost))
                        .exceeded())
                .contains("20.00 US dollars of 20.00 US dollars are used up");
        assertThat(new Meter(
                                limits,
                                PRICES::cost,
                                new UsageTotals(Usage.NONE, BigDecimal.ZERO, true),
                                Duration.ofDays(2),
                                1,
                                CostControl.unrecorded(limits, PRICES::cost))
                        .exceeded())
                .hasValueSatisfying(reason -> assertThat(reason).endsWith("s of 172800 s"));
    }

    @Test
    void noTimeCountsWhileNobodyWorks() {
        Meter meter = new Meter(Limits.defaults());
        meter.pause();
        Duration before = meter.elapsed();
        aMomentPasses();
        assertThat(meter.elapsed()).isEqualTo(before);
        meter.work();
        aMomentPasses();
        assertThat(meter.elapsed()).isGreaterThan(before);
    }

    private static void aMomentPasses() {
        long now = System.nanoTime();
        while (System.nanoTime() - now < 1_000) {
            Thread.onSpinWait();
        }
    }
}
