package io.maestro.docker.internal.compose;

import java.util.List;
import java.util.Map;

/**
 * What became of a start.
 *
 * @param ok whether all that was asked for runs and is healthy, or has ended without an error
 * @param problem what went wrong, for a model; empty when nothing did
 * @param services what there is now
 * @param notes what of the file was changed or left out
 * @param logs the last lines of the services that failed, by service
 */
public record StackReport(
        boolean ok, String problem, List<ServiceState> services, List<String> notes, Map<String, String> logs) {}
