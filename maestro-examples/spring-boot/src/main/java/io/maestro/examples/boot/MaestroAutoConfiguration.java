package io.maestro.examples.boot;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.Limits;
import io.maestro.event.MaestroListener;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.record.CostScope;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Makes a {@link Maestro} of the properties {@code maestro.*}, with health and meters where the application has Actuator. */
@AutoConfiguration(
        afterName = "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnProperty("maestro.repository")
@EnableConfigurationProperties(MaestroProperties.class)
public class MaestroAutoConfiguration {
    /** Closed by Spring. What runs then stays in the record as it stands, and the next start goes on with it. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Maestro maestro(
            MaestroProperties properties,
            @Qualifier("coderModel") LlmClient coderModel,
            @Qualifier("architectModel") LlmClient architectModel,
            ObjectProvider<MaestroListener> listeners,
            ObjectProvider<MaestroBuilderCustomizer> customizers) {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(properties.directory())
                .repository(properties.repository())
                .coderModel(coderModel)
                .architectModel(architectModel)
                .limits(limits(properties));
        PropertyMapper map = PropertyMapper.get().alwaysApplyingWhenNonNull();
        map.from(properties::targetBranch).to(branch -> builder.git(git -> git.targetBranch(branch)));
        map.from(properties::testCommand).to(builder::testCommand);
        map.from(properties::maxCoders).to(builder::maxCoders);
        listeners.orderedStream().forEach(builder::listener);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    @Bean
    @ConditionalOnMissingBean(name = "coderModel")
    LlmClient coderModel(MaestroProperties properties, Environment environment) {
        return client(properties.model(), environment);
    }

    @Bean
    @ConditionalOnMissingBean(name = "architectModel")
    LlmClient architectModel(
            MaestroProperties properties, Environment environment, @Qualifier("coderModel") LlmClient coderModel) {
        return properties.architectModel() == null ? coderModel : client(properties.architectModel(), environment);
    }

    /** Goes on with what was not finished, once the application is ready for what its listeners do. */
    @Bean
    @ConditionalOnProperty(name = "maestro.resume", matchIfMissing = true)
    ApplicationListener<ApplicationReadyEvent> maestroResume(Maestro maestro) {
        return event -> maestro.resume();
    }

    private static Limits limits(MaestroProperties properties) {
        Limits.Builder limits = Limits.builder();
        PropertyMapper map = PropertyMapper.get().alwaysApplyingWhenNonNull();
        map.from(properties.costCap()::story).to(dollars -> limits.costCap(CostScope.STORY, dollars));
        map.from(properties.costCap()::day).to(dollars -> limits.costCap(CostScope.DAY, dollars));
        return limits.build();
    }

    /** The key may come from wherever Spring finds it: the environment, a file, a vault. */
    private static LlmClient client(String model, Environment environment) {
        Map<String, String> variables = new HashMap<>();
        for (String name : new String[] {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}) {
            PropertyMapper.get()
                    .from(() -> environment.getProperty(name))
                    .whenHasText()
                    .to(value -> variables.put(name, value));
        }
        return AnthropicClient.builder(model).fromEnvironment(variables).build();
    }

    /** Where Actuator is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class Health {
        @Bean
        @ConditionalOnEnabledHealthIndicator("maestro")
        HealthIndicator maestroHealthIndicator(Maestro maestro) {
            return new MaestroHealthIndicator(maestro);
        }
    }

    /** Where Micrometer is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {
        @Bean
        @ConditionalOnBean(MeterRegistry.class)
        MaestroMeters maestroMeters(MeterRegistry registry) {
            return new MaestroMeters(registry);
        }
    }
}
