package io.maestro.bench;

/** Who watches a story. */
enum Watch {
    PLAIN,
    MONITOR,
    TRACING,
    BOTH;

    /** The way of the story with this number. Each way comes once in a turn, in each turn at another place. */
    static Watch of(int number) {
        int ways = values().length;
        int turn = number / ways;
        return values()[(number + turn) % ways];
    }

    boolean isMonitored() {
        return this == MONITOR || this == BOTH;
    }

    boolean isTraced() {
        return this == TRACING || this == BOTH;
    }
}
