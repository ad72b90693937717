package io.maestro.record;

/** What a hard limit on the cost is for. Costs of all models, agents and processes that share a record count together. */
public enum CostScope {
    /** A story: all its attempts and all reviews of its work. */
    STORY,
    /** A specification: its scoping and editing, and all its stories. */
    SPEC,
    /** A day, from midnight to midnight in UTC by the clock of the record: all that the record knows of. */
    DAY,
    /** All that the record knows of, from its first day on. */
    TOTAL
}
