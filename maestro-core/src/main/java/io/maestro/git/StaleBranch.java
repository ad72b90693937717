package io.maestro.git;

/**
 * A branch of a story in the real repository that nobody works on any more. Whether its commits are still wanted, people know.
 *
 * @param name as in {@code maestro/story-042}
 * @param commit its tip
 * @param storyId the story
 * @param merged whether the story is done: what is on the branch is in the target branch then, or a later attempt of the story is
 */
public record StaleBranch(String name, String commit, String storyId, boolean merged) {}
