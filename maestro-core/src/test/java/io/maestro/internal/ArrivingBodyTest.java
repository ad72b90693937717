package io.maestro.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What its users rely on beside what they test with a real server. */
class ArrivingBodyTest {
    /** As a client that follows redirects makes of one to an address that is none. */
    @Test
    void whatTheClientCannotUseIsNoFaultOfTheCaller() throws Exception {
        HttpClient client = mock(HttpClient.class);
        when(client.send(any(), any())).thenThrow(new IllegalArgumentException("invalid URI scheme"));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1/")).build();
        try (ArrivingBody body = new ArrivingBody(Duration.ofSeconds(1), Duration.ofSeconds(1))) {
            assertThatThrownBy(() -> body.send(client, request))
                    .isInstanceOf(IOException.class)
                    .hasRootCauseMessage("invalid URI scheme");
        }
    }
}
