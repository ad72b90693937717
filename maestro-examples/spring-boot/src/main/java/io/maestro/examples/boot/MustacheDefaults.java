package io.maestro.examples.boot;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.EnvironmentPostProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Keeps JMustache, which Maestro renders its prompts with, from switching on Spring Boot's Mustache views. An application that
 * has such views sets the same properties, which go before these.
 */
public final class MustacheDefaults implements EnvironmentPostProcessor {
    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "maestroMustacheDefaults",
                        Map.of("spring.mustache.enabled", false, "spring.mustache.check-template-location", false)));
    }
}
