package io.maestro.examples.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The settings of a project that count when a story of its record is played again: those of its commands, not of its team. */
final class RecordedProject {
    private static final List<String> COUNT =
            List.of("setup", "build", "lint", "tests", "environment", "container", "budgets", "redaction");

    /** What models cost is not known to a replay, which asks none. */
    private static final List<String> COSTS = List.of("cost_per_story_dollars", "cost_cap_dollars");

    private final JsonNode all;

    /** @param file need not be there */
    RecordedProject(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        if (Files.exists(file)) {
            ProjectOptions.requireMine(file);
            this.all = json.readTree(Files.readString(file));
        } else {
            this.all = json.createObjectNode();
        }
    }

    String repository() {
        String repository = all.path("git").path("repository").asText("");
        if (repository.isEmpty()) {
            throw new MaestroException("the project's settings name no repository: give it by --repository", null);
        }
        return absolute(repository);
    }

    /** A path as git clones it from elsewhere; a URL as it is. */
    static String absolute(String repository) {
        return Files.exists(Path.of(repository))
                ? Path.of(repository).toAbsolutePath().toString()
                : repository;
    }

    String json() {
        if (!(all instanceof ObjectNode given)) {
            return all.toString();
        }
        ObjectNode count = given.deepCopy().retain(COUNT);
        if (count.get("budgets") instanceof ObjectNode budgets) {
            budgets.remove(COSTS);
        }
        return count.toString();
    }
}
