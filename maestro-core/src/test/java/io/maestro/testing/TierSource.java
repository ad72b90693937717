package io.maestro.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Arguments of a parameterized test or class, of which some are tried in the full tier only. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(TierSource.Provider.class)
@Tag("more-in-full")
public @interface TierSource {
    /**
     * What every tier tries.
     *
     * @return one string an invocation; JUnit converts it; several arguments are separated by {@code |}
     */
    String[] value();

    /**
     * Further combinations, for the full tier.
     *
     * @return as {@link #value}
     */
    String[] full();

    /** Reads the annotation. */
    final class Provider implements ArgumentsProvider, AnnotationConsumer<TierSource> {
        private Stream<String> lines = Stream.empty();

        @Override
        public void accept(TierSource source) {
            lines = Stream.of(true, false)
                    .filter(Campaign::runs)
                    .flatMap(inShort -> Arrays.stream(inShort ? source.value() : source.full()));
        }

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            return lines.map(line -> Arguments.of((Object[]) line.split("\\|", -1)));
        }
    }
}
