package io.maestro.llm.internal;

import java.net.URI;
import java.net.http.HttpClient;

/**
 * Which model is asked, where and how.
 *
 * @param model the model's name
 * @param endpoint where requests go
 * @param credentials authorize them
 * @param streaming whether answers are asked for piece by piece
 * @param limits bounds them
 * @param client sends them; follows no redirects
 * @param clock time and chance
 */
public record Target(
        String model,
        URI endpoint,
        Credentials credentials,
        boolean streaming,
        CallLimits limits,
        HttpClient client,
        RetryClock clock) {}
