package io.maestro.story.internal;

import io.maestro.story.StoryType;
import io.maestro.tools.ToolArguments;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A story as the architect has written it, before it has an id.
 *
 * @param title one line; empty only where a story is rewritten and keeps its title
 * @param description what is to be done; Markdown
 * @param criteria how one sees that it is done; at least one
 * @param dependencies titles of stories of the same call that must be done before it, each once
 * @param type what kind of work it is
 * @param express whether it needs no plan
 */
public record StoryDraft(
        String title,
        String description,
        List<String> criteria,
        List<String> dependencies,
        StoryType type,
        boolean express) {
    public static final String REQUIREMENTS = "requirements";
    public static final String TITLE = "title";
    public static final String DESCRIPTION = "description";
    public static final String CRITERIA = "acceptance_criteria";
    public static final String DEPENDENCIES = "dependencies";
    public static final String TYPE = "story_type";
    public static final String EXPRESS = "express";

    /** What {@code submit_stories} was given; the schema holds, but nothing else is known of it. */
    static List<StoryDraft> submitted(ToolArguments arguments) {
        return arguments.objects(REQUIREMENTS).stream().map(StoryDraft::of).toList();
    }

    /**
     * What {@code submit_stories} has signalled.
     *
     * @throws IllegalArgumentException when it is not what that tool lets pass; the message says why
     */
    public static List<StoryDraft> submitted(Map<String, Object> signal) {
        ToolArguments arguments = ToolArguments.of(signal);
        requireSound(StoryFaults.ofSubmission(arguments));
        return submitted(arguments);
    }

    /**
     * What {@code story_edit} has signalled.
     *
     * @throws IllegalArgumentException when it is not what that tool lets pass; the message says why
     */
    public static StoryDraft edited(Map<String, Object> signal) {
        ToolArguments arguments = ToolArguments.of(signal);
        requireSound(StoryFaults.ofEdit(arguments));
        return of(arguments);
    }

    private static void requireSound(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
    }

    static StoryDraft of(ToolArguments arguments) {
        return new StoryDraft(
                arguments.optionalString(TITLE).orElse("").strip(),
                arguments.string(DESCRIPTION).strip(),
                arguments.strings(CRITERIA).stream().map(String::strip).toList(),
                arguments.strings(DEPENDENCIES).stream()
                        .map(String::strip)
                        .distinct()
                        .toList(),
                StoryType.valueOf(arguments
                        .optionalString(TYPE)
                        .filter(type -> !type.isBlank())
                        .orElse("app")
                        .toUpperCase(Locale.ROOT)),
                arguments.bool(EXPRESS, false));
    }

    /** The title, unless it is left out. */
    public Optional<String> newTitle() {
        return title.isEmpty() ? Optional.empty() : Optional.of(title);
    }

    /** The story's content: the description, and the criteria as a section of it. */
    public String content() {
        return description + "\n\n## Acceptance criteria\n\n"
                + criteria.stream()
                        .map(criterion -> "- " + criterion.replaceAll("\\R", "\n  ") + "\n")
                        .collect(Collectors.joining());
    }
}
