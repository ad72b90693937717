package io.maestro.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolDefinitionTest {
    private static ToolDefinition.Builder builder() {
        return ToolDefinition.builder("read_it").description("Reads it");
    }

    @Test
    void onlyNameAndDescriptionMustBeGiven() {
        ToolDefinition definition = builder().build();

        assertThat(definition.name()).isEqualTo("read_it");
        assertThat(definition.description()).isEqualTo("Reads it");
        assertThat(definition.input()).isEqualTo(InputSchema.empty());
        assertThat(definition.readOnly()).isFalse();
        assertThat(definition.terminal()).isFalse();
        assertThat(definition.timeLimit()).isEqualTo(Duration.ofSeconds(60));
        assertThat(definition.usage()).isEmpty();
        assertThat(definition).hasToString("read_it");
    }

    @Test
    void everythingElseCanBe() {
        ToolDefinition definition = builder()
                .input(schema -> schema.requiredString("path", "P"))
                .readOnly()
                .terminal()
                .timeLimit(Duration.ofNanos(1))
                .usage("More")
                .build();

        assertThat(definition.input()).isEqualTo(InputSchema.of(schema -> schema.requiredString("path", "P")));
        assertThat(definition.readOnly()).isTrue();
        assertThat(definition.terminal()).isTrue();
        assertThat(definition.timeLimit()).isEqualTo(Duration.ofNanos(1));
        assertThat(definition.usage()).contains("More");
    }

    @Test
    void aToolThatWritesIsNotOfferedWhilePlanning() {
        assertThat(builder().build().audiences()).containsExactly(ToolAudience.CODER_CODING);
        assertThat(builder().readOnly().build().audiences())
                .containsExactlyInAnyOrder(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING);
        assertThat(builder()
                        .readOnly()
                        .offeredTo(ToolAudience.ARCHITECT)
                        .build()
                        .audiences())
                .containsExactly(ToolAudience.ARCHITECT);
        assertThatThrownBy(() -> builder().build().audiences().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "A-b_9", "-", "_", "0", "0123456789012345678901234567890123456789012345678901234567890123"})
    void isAName(String name) {
        assertThat(ToolDefinition.isValidName(name)).isTrue();
        assertThat(ToolDefinition.builder(name).description("d").build().name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a.b",
                "a/b",
                "a\n",
                "é",
                "a\0",
                "01234567890123456789012345678901234567890123456789012345678901234"
            })
    void isNoName(String name) {
        assertThat(ToolDefinition.isValidName(name)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ToolDefinition.builder(name))
                .withMessageStartingWith("not a tool name: '" + name + "'");
    }

    @Test
    void aDescriptionMustSaySomething() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ToolDefinition.builder("x").build())
                .withMessageStartingWith("tool 'x' has no description");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().description(" \n").build());
    }

    @Test
    void aTimeLimitIsMoreThanZero() {
        for (Duration limit : new Duration[] {Duration.ZERO, Duration.ofMillis(-1)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder().timeLimit(limit))
                    .withMessage("the time limit of tool 'read_it' must be more than zero, is " + limit);
        }
    }

    @Test
    void whatWasBuiltDoesNotChangeWithItsBuilder() {
        ToolDefinition.Builder builder = builder();
        ToolDefinition definition = builder.build();
        builder.description("Other")
                .readOnly()
                .offeredTo(ToolAudience.ARCHITECT)
                .terminal();

        assertThat(definition.description()).isEqualTo("Reads it");
        assertThat(definition.readOnly()).isFalse();
        assertThat(definition.terminal()).isFalse();
        assertThat(definition.audiences()).containsExactly(ToolAudience.CODER_CODING);
    }

    @Test
    void whatEndsATurnIsForAgentsOnly() {
        ToolDefinition.Builder tool = ToolDefinition.builder("a").description("Does a");

        assertThat(tool.build().agentOnly()).isFalse();
        assertThat(tool.agentOnly().build().toBuilder().build().agentOnly()).isTrue();
        assertThat(ToolDefinition.builder("b")
                        .description("Does b")
                        .terminal()
                        .build()
                        .agentOnly())
                .isTrue();
    }
}
