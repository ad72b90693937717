package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.record.CostScope;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** By reflection, so that a setting that is added is tested too. */
class LimitsTest {
    static Stream<Method> settings() {
        return Arrays.stream(Limits.Builder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 1)
                // It sets several; it has a test of its own.
                .filter(method -> !method.getName().equals("replyTime"));
    }

    private static Map<String, Object> values(Limits limits) throws ReflectiveOperationException {
        Map<String, Object> values = new TreeMap<>();
        for (Method method : Limits.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())
                    && !Modifier.isStatic(method.getModifiers())
                    && !method.getName().equals("toBuilder")
                    && method.getParameterCount() == 0) {
                Object value = method.invoke(limits);
                values.put(method.getName(), value instanceof Optional<?> some ? some.orElse(null) : value);
            }
        }
        return values;
    }

    private static Object value(Method setting, long number) {
        Class<?> type = setting.getParameterTypes()[0];
        if (type == int.class) {
            return (int) number;
        }
        if (type == BigDecimal.class) {
            return BigDecimal.valueOf(number, 2);
        }
        return type == long.class ? (Object) number : Duration.ofNanos(number);
    }

    private static long least(Method setting) {
        return setting.getName().equals("contextTokens") ? 4000 : 1;
    }

    @Test
    void theDefaultsAreThoseThatAreDocumented() throws Exception {
        assertThat(values(Limits.defaults()))
                .isEqualTo(values(Limits.builder().build()))
                .hasToString("{answerTokens=8192, budgetReviews=3, contextTokens=150000, costPerStory=null,"
                        + " parkAfter=PT10M, reminders=3, rounds=8, storyRetries=2,"
                        + " suspendInterval=PT15S, suspendTime=PT15M, testTime=PT15M, timePerStory=PT2H,"
                        + " tokensPerStory=5000000, turnsPerState=40}");
        assertThat(settings().map(Method::getName))
                .containsExactlyInAnyOrderElementsOf(values(Limits.defaults()).keySet());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void eachSettingSetsItselfAndNothingElse(Method setting) throws Exception {
        for (long number : List.of(
                least(setting), setting.getParameterTypes()[0] == int.class ? Integer.MAX_VALUE : Long.MAX_VALUE)) {
            Limits.Builder builder = Limits.builder();
            Limits before = builder.build();
            assertThat(setting.invoke(builder, value(setting, number))).isSameAs(builder);
            Map<String, Object> expected = values(Limits.defaults());
            expected.put(setting.getName(), value(setting, number));
            assertThat(values(builder.build())).isEqualTo(expected);
            assertThat(values(builder.build().toBuilder().build())).isEqualTo(expected);
            assertThat(values(before)).isEqualTo(values(Limits.defaults()));
        }
    }

    @Test
    void eachKindOfRequestHasATimeOfItsOwn() {
        Limits limits = Limits.builder()
                .replyTime(Duration.ofDays(1))
                .replyTime(Architect.Kind.QUESTION, Duration.ofMinutes(5))
                .build();
        assertThat(limits.toBuilder().build().replyTime(Architect.Kind.QUESTION))
                .isEqualTo(Duration.ofMinutes(5));
        assertThat(limits.replyTime(Architect.Kind.MERGE)).isEqualTo(Duration.ofDays(1));
        assertThat(Limits.defaults().replyTime(Architect.Kind.MERGE)).isEqualTo(Duration.ofMinutes(30));
        assertThatThrownBy(() -> Limits.builder().replyTime(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("replyTime must be more than zero, is PT0S");
    }

    @Test
    void eachScopeHasAHardLimitOnCostOfItsOwn() {
        Limits limits = Limits.builder()
                .costCap(CostScope.STORY, new BigDecimal("1.5"))
                .costCap(CostScope.DAY, BigDecimal.TEN)
                .build();
        assertThat(limits.costCap(CostScope.STORY)).contains(new BigDecimal("1.5"));
        assertThat(limits.toBuilder().build().costCap(CostScope.DAY)).contains(BigDecimal.TEN);
        assertThat(limits.costCap(CostScope.SPEC)).isEmpty();
        assertThat(Limits.defaults().costCap(CostScope.STORY)).isEmpty();
        assertThatThrownBy(() -> Limits.builder().costCap(CostScope.TOTAL, BigDecimal.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("costCap(TOTAL) must be more than zero, is 0");
    }

    @ParameterizedTest
    @MethodSource("settings")
    void nothingAndLessIsRefused(Method setting) throws Exception {
        // No retry at all is a choice, and so is no review of a budget.
        boolean mayBeZero = List.of("storyRetries", "budgetReviews").contains(setting.getName());
        for (long number : mayBeZero ? List.of(-1L) : List.of(least(setting) - 1, 0L, -1L)) {
            Object value = value(setting, number);
            try {
                setting.invoke(Limits.builder(), value);
                assertThat(setting).as("takes " + value).isNull();
            } catch (InvocationTargetException e) {
                assertThat(e.getCause())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(setting.getName() + " must be ")
                        .hasMessageContaining(
                                mayBeZero
                                        ? "0 or more"
                                        : least(setting) > 1 ? "at least " + least(setting) : "more than zero")
                        .hasMessageEndingWith(", is " + value);
            }
        }
    }
}
