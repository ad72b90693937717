package io.maestro.team.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.StaleBranch;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.story.CoderState;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which branches nobody works on. */
class StaleBranchesTest {
    /** It has pushed these branches. */
    private static StoryRecord story(String id, CoderState state, @Nullable String branch, String... pushed) {
        String branches = Arrays.stream(pushed).map(name -> "\"" + name + "\"").collect(Collectors.joining(","));
        return new StoryRecord(
                id,
                "s",
                "t",
                "c",
                "APP",
                false,
                state,
                2,
                null,
                branch,
                null,
                null,
                "{\"pushedBranches\":[" + branches + "]}",
                null,
                List.of(),
                Instant.EPOCH);
    }

    private static List<StaleBranch> of(String branch, StoryRecord... stories) {
        return StaleBranches.of(Map.of(branch, "1"), List.of(stories));
    }

    @Test
    void branchesOfStoriesThatAreOverAreStale() {
        assertThat(of("maestro/story-7", story("7", CoderState.ERROR, "maestro/story-7", "maestro/story-7")))
                .containsExactly(new StaleBranch("maestro/story-7", "1", "7", false));
        assertThat(of("maestro/story-7", story("7", CoderState.DONE, "maestro/story-7-2", "maestro/story-7")))
                .containsExactly(new StaleBranch("maestro/story-7", "1", "7", true));
    }

    @Test
    void ofAStoryThatIsWorkedOnTheOtherBranchesAre() {
        StoryRecord story = story("7", CoderState.CODING, "maestro/story-7-2", "maestro/story-7", "maestro/story-7-2");
        assertThat(of("maestro/story-7-2", story)).isEmpty();
        assertThat(of("maestro/story-7", story)).hasSize(1);
    }

    /** Another Maestro may work there, with a story of the same id. */
    @Test
    void branchesThatNoStoryHereHasPushedAreNot() {
        for (StoryRecord story : List.of(
                story("7", CoderState.DONE, null),
                story("7", CoderState.ERROR, "maestro/story-7"),
                story("7", CoderState.CODING, "maestro/story-7-2", "maestro/story-7-2"))) {
            assertThat(of("maestro/story-7", story)).isEmpty();
        }
    }

    @Test
    void aBranchThatTwoStoriesCouldHaveIsInUseWhenOneOfThemUsesIt() {
        StoryRecord over = story("7-2", CoderState.ERROR, "maestro/story-7-2", "maestro/story-7-2");
        assertThat(of("maestro/story-7-2", over, story("7", CoderState.CODING, "maestro/story-7-2")))
                .isEmpty();
        assertThat(of("maestro/story-7-2", over, story("7", CoderState.CODING, "maestro/story-7")))
                .containsExactly(new StaleBranch("maestro/story-7-2", "1", "7-2", false));
    }
}
