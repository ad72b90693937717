package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The table of the tests that the plan of the containers tool lists: a name of the plan, the test here, and, where Maestro does it
 * otherwise, why. A test that the plan describes without a name is called by the number of its task. Lines at the end that begin
 * with {@code #} are names without a test.
 */
class SeedTestsTest {
    private static final int TESTS_WITH_A_NAME = 150;
    private static final int TESTS_WITHOUT = 19;

    private static List<String> lines() throws IOException {
        try (InputStream in = Objects.requireNonNull(SeedTestsTest.class.getResourceAsStream("seed-tests.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static String name(String line) {
        return line.replaceFirst("^# ", "").split("\t", -1)[0];
    }

    @Test
    void everyNameIsThereOnce() throws IOException {
        List<String> names = lines().stream().map(SeedTestsTest::name).toList();
        assertThat(names).doesNotHaveDuplicates();
        assertThat(names.stream().filter(name -> name.startsWith("test_"))).hasSize(TESTS_WITH_A_NAME);
        assertThat(names.stream().filter(name -> !name.startsWith("test_"))).hasSize(TESTS_WITHOUT);
    }

    @Test
    void everyLineHasItsColumnsAndTheNamesWithoutATestAreLast() throws IOException {
        List<String> lines = lines();
        List<String> mapped =
                lines.stream().takeWhile(line -> !line.startsWith("#")).toList();
        assertThat(mapped)
                .isNotEmpty()
                .allMatch(line -> line.matches(
                        "(test_[a-z0-9_]+|[1-5]\\.[0-9]+ [^\t]+)\t[a-zA-Z0-9.$]+#[a-zA-Z0-9]+(\t[^\t]+)?"));
        assertThat(lines.subList(mapped.size(), lines.size())).allMatch(line -> line.matches("# test_[a-z0-9_]+"));
    }

    @Test
    void everyTestIsThereAndIsRun() throws Exception {
        for (String line :
                lines().stream().takeWhile(line -> !line.startsWith("#")).toList()) {
            String[] test = line.split("\t", -1)[1].split("#", 2);
            Class<?> type = Class.forName(test[0], false, SeedTestsTest.class.getClassLoader());
            assertThat(Modifier.isAbstract(type.getModifiers()) || AnnotationSupport.isAnnotated(type, Disabled.class))
                    .as(line)
                    .isFalse();
            assertThat(methods(type).filter(method -> method.getName().equals(test[1])))
                    .as(line)
                    .anyMatch(method -> AnnotationSupport.isAnnotated(method, Testable.class)
                            && !AnnotationSupport.isAnnotated(method, Disabled.class));
        }
    }

    private static Stream<Method> methods(Class<?> type) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .flatMap(it -> Arrays.stream(it.getDeclaredMethods()));
    }
}
