package io.maestro.llm.internal;

import java.time.Duration;

/**
 * What bounds a question to a model.
 *
 * @param attempt how long one attempt may take, from the connection to the last byte
 * @param idle how long nothing may come once an answer has begun
 * @param total how long all attempts and the waits between them may take
 * @param maxRetries how often it is tried again
 * @param maxBodyBytes how large an answer may be
 */
public record CallLimits(Duration attempt, Duration idle, Duration total, int maxRetries, int maxBodyBytes) {}
