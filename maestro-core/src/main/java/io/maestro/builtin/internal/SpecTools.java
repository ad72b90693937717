package io.maestro.builtin.internal;

import io.maestro.story.internal.StoryDraft;
import io.maestro.story.internal.StoryFaults;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.util.List;

/** The tools with which the architect makes stories of a specification, and rewrites those that have failed. */
final class SpecTools {
    private static final int MOST_STORIES = 50;
    private static final int LONGEST_TITLE = 120;

    private SpecTools() {}

    static ToolFactory submitStories() {
        return TerminalTools.signal(
                ToolDefinition.builder("submit_stories")
                        .description("Submits the stories that the specification is cut into, all in one call, and ends"
                                + " scoping")
                        .input(schema -> schema.required(
                                StoryDraft.REQUIREMENTS,
                                Property.array(
                                                "The stories, in a sensible order",
                                                Property.object("", SpecTools::story))
                                        .minItems(1)
                                        .maxItems(MOST_STORIES)))
                        .offeredTo(ToolAudience.ARCHITECT_SCOPING),
                "The stories are submitted.",
                StoryFaults::ofSubmission);
    }

    private static void story(InputSchema.Builder story) {
        story.required(StoryDraft.TITLE, title("One line that no other story has; it becomes the title of the commit"))
                .requiredString(
                        StoryDraft.DESCRIPTION,
                        "What is to be done, in Markdown; all that a coder must know who has not read the specification")
                .required(StoryDraft.CRITERIA, criteria())
                .optional(
                        StoryDraft.DEPENDENCIES,
                        Property.array(
                                "The titles of stories of this call that must be merged before this one is begun",
                                Property.string("")))
                .optional(
                        StoryDraft.TYPE,
                        Property.oneOf(
                                "app: work on the application; devops: on what it is built with and runs on; default app",
                                "app",
                                "devops"))
                .optionalBoolean(
                        StoryDraft.EXPRESS, "Whether it is so small that the coder needs no plan; default false");
    }

    static ToolFactory storyEdit() {
        return TerminalTools.signal(
                ToolDefinition.builder("story_edit")
                        .description(
                                "Rewrites the story that has failed, so that its next attempt can succeed, and has it"
                                        + " tried again")
                        .input(schema -> schema.optional(
                                        StoryDraft.TITLE,
                                        Property.string("The new title; default: as it was")
                                                .maxLength(LONGEST_TITLE))
                                .requiredString(
                                        StoryDraft.DESCRIPTION,
                                        "The whole new description, in Markdown; it takes the place of the old one")
                                .required(StoryDraft.CRITERIA, criteria()))
                        .offeredTo(ToolAudience.ARCHITECT_EDITING),
                "The story is tried again.",
                StoryFaults::ofEdit);
    }

    static ToolFactory storyGiveUp() {
        return TerminalTools.signal(
                ToolDefinition.builder("story_give_up")
                        .description("Gives up the story that has failed, and all that depend on it, because no other"
                                + " wording would help")
                        .input(schema -> schema.requiredString("reason", "Why it cannot be done; the host reads it"))
                        .offeredTo(ToolAudience.ARCHITECT_EDITING),
                "The story is given up.",
                arguments -> arguments.string("reason").isBlank() ? List.of("$.reason: must not be blank") : List.of());
    }

    private static Property title(String description) {
        return Property.string(description).minLength(1).maxLength(LONGEST_TITLE);
    }

    private static Property criteria() {
        return Property.array(
                        "How one sees that it is done: each a thing that a test or a look can decide",
                        Property.string("").minLength(1))
                .minItems(1);
    }
}
