package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.HostedForge;
import io.maestro.git.hosted.HostedForgeBuilder;
import io.maestro.git.hosted.MergePolicy;
import java.net.URI;
import java.util.Locale;
import java.util.Map;

/** What a configuration says of how work is merged. */
final class ConfiguredForge {
    private ConfiguredForge() {}

    /**
     * The forge.
     *
     * @param config the whole configuration
     * @param environment where a token comes from
     * @return one that merges with git alone unless something else is set
     * @throws MaestroException when something is set wrongly
     */
    static Forge of(Config config, Map<String, String> environment) {
        Config set = config.object("forge");
        String kind = set.text("kind").orElse("local");
        MergeMethod method = set.text("method")
                .map(name -> MergeMethod.valueOf(name.toUpperCase(Locale.ROOT)))
                .orElse(MergeMethod.MERGE);
        try {
            if (kind.equals("local")) {
                return new LocalForge(method);
            }
            HostedForgeBuilder forge = switch (kind) {
                case "gitlab" -> HostedForge.gitLab();
                case "gitea" -> HostedForge.gitea();
                default -> HostedForge.gitHub();
            };
            forge.fromEnvironment(environment);
            set.text("repository").ifPresent(forge::repository);
            set.text("base_url").map(URI::create).ifPresent(forge::baseUrl);
            set.text("merge")
                    .map(name -> MergePolicy.valueOf(name.toUpperCase(Locale.ROOT)))
                    .ifPresent(forge::merge);
            forge.method(method);
            forge.labels(set.texts("labels").toArray(String[]::new));
            forge.reviewers(set.texts("reviewers").toArray(String[]::new));
            set.seconds("checks_appear_within_seconds").ifPresent(forge::checksAppearWithin);
            set.flag("answer_by_comments").ifPresent(forge::answersByComments);
            return forge.build();
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$.forge: " + e.getMessage(), e);
        }
    }
}
