package io.maestro.examples.boot;

import java.math.BigDecimal;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the application that concern Maestro. What is not here is set by a {@link MaestroBuilderCustomizer}.
 *
 * @param repository where git clones from and pushes to; without it there is no Maestro
 * @param targetBranch the branch to start from and to merge into; default: the repository's own
 * @param directory record, mirror and workspaces
 * @param model the model that plans and codes
 * @param architectModel the model that reviews; default: the one that codes
 * @param testCommand runs the project's tests; default: by its build file
 * @param maxCoders how many stories are worked on at once; default: Maestro's
 * @param costCap hard limits on cost, which no review can raise
 * @param resume whether the application goes on at its start with what was not finished at its last end
 */
@ConfigurationProperties("maestro")
public record MaestroProperties(
        @Nullable String repository,
        @Nullable String targetBranch,
        @DefaultValue("maestro") Path directory,
        @DefaultValue("claude-sonnet-5") String model,
        @Nullable String architectModel,
        @Nullable String testCommand,
        @Nullable Integer maxCoders,
        @DefaultValue CostCap costCap,
        @DefaultValue("true") boolean resume) {
    /**
     * Hard limits on cost.
     *
     * @param story the most that a story may cost in all its attempts, in US dollars; default: no limit
     * @param day the most that all stories of a day (UTC) may cost, in US dollars; default: no limit
     */
    public record CostCap(
            @Nullable BigDecimal story, @Nullable BigDecimal day) {}
}
