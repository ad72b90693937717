package io.maestro.claude.internal.gateway;

import io.maestro.llm.Usage;

/** The model and the tokens of one answer, as far as it was read. For one thread. */
final class Counted {
    private String model = "";
    private long input;
    private long output;
    private long cacheRead;
    private long cacheWrite;
    private boolean any;

    void model(String name) {
        model = name;
    }

    /** A later count of the same kind replaces an earlier one: the API sends totals. */
    void count(String name, long tokens) {
        long value = Math.max(0, tokens);
        switch (name) {
            case "input_tokens" -> input = value;
            case "output_tokens" -> output = value;
            case "cache_read_input_tokens" -> cacheRead = value;
            case "cache_creation_input_tokens" -> cacheWrite = value;
            default -> {
                return;
            }
        }
        any = true;
    }

    boolean any() {
        return any;
    }

    String model() {
        return model;
    }

    Usage usage() {
        return new Usage(input, output, cacheRead, cacheWrite);
    }
}
