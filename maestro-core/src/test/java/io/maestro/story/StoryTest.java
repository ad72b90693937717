package io.maestro.story;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.maestro.llm.Usage;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoryTest {
    @Test
    void onlyIdTitleAndContentMustBeGiven() {
        Story story = Story.builder("042", "  Add it ").content("Do it.\n").build();
        assertThat(story.id()).isEqualTo("042");
        assertThat(story.title()).isEqualTo("Add it");
        assertThat(story.content()).isEqualTo("Do it.\n");
        assertThat(story.type()).isEqualTo(StoryType.APP);
        assertThat(story.express()).isFalse();
        assertThat(story).hasToString("042 Add it");
    }

    @Test
    void theRestCanBe() {
        for (StoryType type : StoryType.values()) {
            assertThat(Story.builder("1", "T")
                            .content("C")
                            .type(type)
                            .express()
                            .build()
                            .type())
                    .isEqualTo(type);
        }
        assertThat(Story.builder("1", "T").content("C").express().build().express())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "A-b_9", "0123456789012345678901234567890123456789012345678901234567890123"})
    void isAnId(String id) {
        assertThat(Story.builder(id, "T").content("C").build().id()).isEqualTo(id);
    }

    /** It becomes part of a branch's name: what git or a shell could take for something else is out. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "_1",
                ".1",
                "1.lock",
                "a..b",
                "a/b",
                "../1",
                "a b",
                "a\n",
                "é",
                "a~1",
                "01234567890123456789012345678901234567890123456789012345678901234"
            })
    void isNoId(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder(id, "T"))
                .withMessage("not a story id: '" + id
                        + "'; use 1 to 64 letters, digits, '_' and '-', starting with a letter or a digit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " \t\n",
                "two\nlines",
                "two\r\nlines",
                "two\rlines",
                "a\0b",
                "\u001b[31mred",
                "next\u0085line"
            })
    void isNoTitle(String title) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder("042", title))
                .withMessageStartingWith("the title of story 042 must be one line")
                .withMessageEndingWith("is '" + title + "'");
    }

    @Test
    void contentMustSaySomething() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder("042", "T").build())
                .withMessageStartingWith("story 042 has no content");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder("042", "T").content(" \n").build());
        assertThatNullPointerException()
                .isThrownBy(() -> Story.builder("042", "T").content(null));
        assertThatNullPointerException()
                .isThrownBy(() -> Story.builder("042", "T").type(null));
    }

    @Test
    void mergedAndNothingToDoAreSuccesses() {
        Set<StoryResult.Outcome> successes = EnumSet.noneOf(StoryResult.Outcome.class);
        for (StoryResult.Outcome outcome : StoryResult.Outcome.values()) {
            if (new StoryResult(
                            "042",
                            1,
                            outcome,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Usage.NONE,
                            Optional.empty(),
                            Duration.ZERO)
                    .succeeded()) {
                successes.add(outcome);
            }
        }
        assertThat(successes).containsExactlyInAnyOrder(StoryResult.Outcome.MERGED, StoryResult.Outcome.NO_CHANGE);
    }
}
