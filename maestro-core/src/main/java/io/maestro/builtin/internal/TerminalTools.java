package io.maestro.builtin.internal;

import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.util.List;
import java.util.function.Function;

/**
 * The tools with which an agent completes something. They do nothing themselves: their arguments are the signal that moves
 * the agent's state machine.
 */
final class TerminalTools {
    private TerminalTools() {}

    static ToolFactory submitPlan() {
        return signal(
                ToolDefinition.builder("submit_plan")
                        .description("Submits your plan to the architect for review and ends planning")
                        .input(schema -> schema.requiredString(
                                "plan",
                                "What you will change in which file, how you will test it, and what could go wrong"))
                        .offeredTo(ToolAudience.CODER_PLANNING),
                "The plan is submitted.");
    }

    static ToolFactory storyComplete() {
        return signal(
                ToolDefinition.builder("story_complete")
                        .description(
                                "Says that what the story asks for is there already, so that there is nothing to do")
                        .input(schema -> schema.requiredString(
                                "reason", "The files and lines that show it, and how you checked"))
                        .offeredTo(ToolAudience.CODER_PLANNING),
                "The architect will check it.");
    }

    static ToolFactory askQuestion() {
        return signal(
                ToolDefinition.builder("ask_question")
                        .description("Asks the architect and waits for the answer; ask only what you cannot find out")
                        .input(schema ->
                                schema.requiredString("question", "The question, with what you know and have tried"))
                        .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING),
                "The question is sent; the answer follows.");
    }

    static ToolFactory reportBlocked() {
        return signal(
                ToolDefinition.builder("report_blocked")
                        .description(
                                "Gives the story up, because something outside your reach makes it impossible; an answer"
                                        + " would not help, or you would ask_question")
                        .input(schema ->
                                schema.requiredString("reason", "What blocks you, and what would have to change"))
                        .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING),
                "The story ends here.");
    }

    static ToolFactory done() {
        return signal(
                ToolDefinition.builder("done")
                        .description("Says that the story is implemented; the project's tests and the review follow")
                        .input(schema -> schema.requiredString(
                                "summary",
                                "What you changed and why, in a few sentences; where the project's commits begin with a"
                                        + " header such as 'fix(parser): take empty lines', begin with one, too"))
                        .offeredTo(ToolAudience.CODER_CODING),
                "The tests and the review follow.");
    }

    /** {@code done} without a team: nothing follows. */
    static ToolFactory taskDone() {
        return signal(
                ToolDefinition.builder("done")
                        .description("Says that the task is done, and ends your turn")
                        .input(schema -> schema.requiredString(
                                "summary",
                                "What you did and how you checked it, in a few sentences; or what was asked for"))
                        .offeredTo(ToolAudience.CODER_CODING),
                "Your turn is over.");
    }

    /** {@code report_blocked} without a team. */
    static ToolFactory taskBlocked() {
        return signal(
                ToolDefinition.builder("report_blocked")
                        .description("Gives the task up because something outside your reach makes it impossible")
                        .input(schema ->
                                schema.requiredString("reason", "What blocks you, and what would have to change"))
                        .offeredTo(ToolAudience.CODER_CODING),
                "Your turn is over.");
    }

    static ToolFactory submitReply() {
        return signal(
                ToolDefinition.builder("submit_reply")
                        .description("Answers the coder's question")
                        .input(schema -> schema.requiredString("message", "The answer"))
                        .offeredTo(ToolAudience.ARCHITECT),
                "The answer is sent.");
    }

    static ToolFactory reviewComplete() {
        return signal(
                ToolDefinition.builder("review_complete")
                        .description("Ends the review with a decision")
                        .input(
                                schema -> schema.required(
                                                "decision",
                                                Property.oneOf(
                                                        "APPROVED: go on; NEEDS_CHANGES: go back and change what the feedback says;"
                                                                + " REJECTED: the story must not be done at all and ends here",
                                                        "APPROVED",
                                                        "NEEDS_CHANGES",
                                                        "REJECTED"))
                                        .optionalString(
                                                "feedback",
                                                "Why, and what must change; the coder reads it. May be left out only with APPROVED"))
                        .offeredTo(ToolAudience.ARCHITECT),
                "The decision is sent.",
                arguments -> arguments.string("decision").equals("APPROVED")
                                || !arguments
                                        .optionalString("feedback")
                                        .orElse("")
                                        .isBlank()
                        ? List.of()
                        : List.of(
                                "$.feedback: must not be blank unless you approve; say what must change, or why not at all"));
    }

    private static ToolFactory signal(ToolDefinition.Builder builder, String answer) {
        return signal(builder, answer, arguments -> List.of());
    }

    /** Arguments may be wrong in ways that no schema says: then the tool answers with the faults, and signals nothing. */
    static ToolFactory signal(
            ToolDefinition.Builder builder, String answer, Function<ToolArguments, List<String>> faults) {
        ToolDefinition definition = builder.terminal().build();
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition;
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    List<String> found = faults.apply(call.arguments());
                    return found.isEmpty()
                            ? ToolResult.builder(answer)
                                    .signal(new ToolSignal(
                                            definition.name(), call.arguments().asMap()))
                                    .build()
                            : ToolResult.error(String.join("\n", found));
                };
            }
        };
    }
}
