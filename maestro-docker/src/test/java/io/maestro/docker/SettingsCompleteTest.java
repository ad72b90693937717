package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.Maestro;
import io.maestro.docker.testing.Shows;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** A setting that nothing reads would be a promise that is not kept: each has a test of what it does. */
class SettingsCompleteTest {
    @Test
    void everySettingOfTheConfigurationHasATestOfItsEffect() throws IOException {
        Set<String> settings = new TreeSet<>();
        collect(
                "",
                new ObjectMapper()
                        .readTree(Maestro.configSchema())
                        .path("properties")
                        .path("container"),
                settings);
        assertThat(settings).hasSizeGreaterThan(30);
        assertThat(shown(Shows::file)).isEqualTo(settings);
    }

    @Test
    void everySettingInCodeHasATestOfItsEffect() {
        Set<String> settings = new TreeSet<>();
        collect("", DockerEnvironments.Builder.class, settings);
        settings.remove("build");
        assertThat(settings).hasSizeGreaterThan(10);
        assertThat(shown(Shows::code)).isEqualTo(settings);
    }

    /** The setters of a builder or a group; a method that changes a group stands for the setters of that. */
    private static void collect(String path, Class<?> type, Set<String> settings) {
        for (Method method : type.getDeclaredMethods()) {
            boolean sets = Modifier.isPublic(method.getModifiers())
                    && !Modifier.isStatic(method.getModifiers())
                    && !method.isSynthetic()
                    && (method.getReturnType() == type || method.getName().equals("build"));
            if (sets && method.getParameterCount() == 1 && method.getParameterTypes()[0] == UnaryOperator.class) {
                Type group = ((ParameterizedType) method.getGenericParameterTypes()[0]).getActualTypeArguments()[0];
                collect(method.getName() + ".", (Class<?>) group, settings);
            } else if (sets) {
                settings.add(path + method.getName());
            }
        }
    }

    private static Set<String> shown(Function<Shows, String[]> which) {
        Set<String> shown = new TreeSet<>();
        for (Class<?> type : ReflectionSupport.findAllClassesInPackage("io.maestro.docker", any -> true, any -> true)) {
            List<Method> tests =
                    AnnotationSupport.findAnnotatedMethods(type, Shows.class, HierarchyTraversalMode.TOP_DOWN);
            for (Method test : tests) {
                assertThat(AnnotationSupport.isAnnotated(test, Test.class)
                                || AnnotationSupport.isAnnotated(test, ParameterizedTest.class))
                        .as("%s is run", test)
                        .isTrue();
                assertThat(AnnotationSupport.isAnnotated(test, Disabled.class)
                                || AnnotationSupport.isAnnotated(type, Disabled.class))
                        .as("%s is left out", test)
                        .isFalse();
                shown.addAll(List.of(which.apply(test.getAnnotation(Shows.class))));
            }
        }
        return shown;
    }

    private static void collect(String path, JsonNode schema, Set<String> settings) {
        if (schema.path("items").isObject()) {
            collect(path + "[]", schema.path("items"), settings);
        } else if (schema.has("properties")) {
            schema.path("properties")
                    .properties()
                    .forEach(property -> collect(
                            path.isEmpty() ? property.getKey() : path + "." + property.getKey(),
                            property.getValue(),
                            settings));
        } else {
            settings.add(path);
        }
    }
}
