package io.maestro.budget.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DollarsTest {
    @ParameterizedTest
    @CsvSource({
        "0,0.00",
        "0E-8,0.00",
        "1,1.00",
        "1E+2,100.00",
        "0.125,0.125",
        "0.12345,0.1235",
        "0.00001,0.00001",
        "0.0000123456,0.000012",
        "3E-7,0.0000003"
    })
    void noAmountIsShownAsNothing(BigDecimal amount, String shown) {
        assertThat(CostControl.dollars(amount)).isEqualTo(shown + " US dollars");
    }
}
