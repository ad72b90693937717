package io.maestro.runtime.internal;

/**
 * Whose workspace a reading tool looks at when the call names none.
 *
 * @param id the coder's id
 */
public record DefaultCoder(String id) {}
