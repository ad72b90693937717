package io.maestro.record.internal;

import org.jspecify.annotations.Nullable;

/**
 * The few pieces of SQL that differ between the databases.
 *
 * @param clock an expression: milliseconds since 1970, by the clock of the database
 * @param wanted a table {@code wanted (name, place)} of one parameter, a JSON array of texts
 * @param unlessLocked at the end of a SELECT: locks the rows of {@code leases} that it returns, and leaves out those that
 *     another transaction has locked; empty where only one transaction writes at a time
 * @param notChanging at the end of a SELECT: nobody changes its rows before this transaction ends; empty where only one
 *     transaction writes at a time
 * @param snapshot the first statement of a transaction that reads everything as it stands at one moment; null where each
 *     does
 * @param oneAtATime a SELECT that lets one transaction at a time pass until it ends, for numbers of the chat and sums of costs;
 *     null where that is so anyway
 */
public record Dialect(
        String clock,
        String wanted,
        String unlessLocked,
        String notChanging,
        @Nullable String snapshot,
        @Nullable String oneAtATime) {}
