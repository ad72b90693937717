package io.maestro.claude.internal.gateway;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.wire.internal.HttpFault;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private final AtomicLong allowance = new AtomicLong(100);

    @Test
    void ofTwoThatAreTooLargeTogetherTheFirstIsHeld() throws Exception {
        try (RequestBody first = new RequestBody(allowance);
                RequestBody second = new RequestBody(allowance)) {
            first.expect(60);
            first.take(new byte[50], 50);

            assertThatThrownBy(() -> second.expect(60))
                    .isInstanceOfSatisfying(
                            HttpFault.class, fault -> assertThat(fault.status()).isEqualTo(529));

            first.take(new byte[10], 10);
            assertThat(first.length()).isEqualTo(60);
            assertThat(allowance).hasValue(40);
        }
        assertThat(allowance).hasValue(100);
    }

    @Test
    void ofOneThatDoesNotSayItsLengthEachPieceIsTaken() throws Exception {
        try (RequestBody body = new RequestBody(allowance)) {
            body.take(new byte[40], 40);
            body.take(new byte[60], 60);

            assertThatThrownBy(() -> body.take(new byte[1], 1)).isInstanceOf(HttpFault.class);

            assertThat(body.length()).isEqualTo(100);
            assertThat(allowance).hasValue(0);
        }
        assertThat(allowance).hasValue(100);
    }
}
