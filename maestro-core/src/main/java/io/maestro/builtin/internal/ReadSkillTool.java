package io.maestro.builtin.internal;

import io.maestro.instructions.internal.Skills;
import io.maestro.secrets.Redactor;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.List;

/** {@code read_skill}: reads a skill of the repository, as the target branch had it when the work began. */
final class ReadSkillTool implements ToolFactory {
    private static final int LINES = 2_000;
    private static final int BYTES = 1_000_000;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder(Skills.TOOL)
                .description(
                        "Reads a skill of the repository: its guide, and by path its other files, as the target branch had them"
                                + " when your work began; nothing of it is run. Up to 2,000 lines or 1 MB in one call, as"
                                + " read_file")
                .input(schema -> schema.requiredString("name", "The skill's name")
                        .optionalString("path", "Path relative to the skill's folder; default SKILL.md")
                        .optional(
                                "first_line",
                                Property.integer("First line to return, from 1; default 1")
                                        .between(1, Integer.MAX_VALUE)))
                .pathArguments("path")
                .readOnly()
                .resultLimit(2 * BYTES)
                .offeredTo(
                        ToolAudience.CODER_PLANNING,
                        ToolAudience.CODER_CODING,
                        ToolAudience.ARCHITECT,
                        ToolAudience.ARCHITECT_SCOPING,
                        ToolAudience.ARCHITECT_EDITING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        Skills skills = context.service(Skills.class).orElse(Skills.NONE);
        Redactor redactor = context.service(Redactor.class).orElse(same -> same);
        return call -> {
            String name = call.arguments().string("name");
            String path = call.arguments().optionalString("path").orElse(Skills.GUIDE);
            long first = call.arguments().optionalInteger("first_line").orElse(1);
            try {
                FilePage page = skills.read(name, path, in -> FilePage.read(in, first, LINES, BYTES));
                ToolResult answer = ReadFileTool.answer(path, page, redactor);
                List<String> others = path.equals(Skills.GUIDE) && !page.more() ? skills.otherFiles(name) : List.of();
                return others.isEmpty() || answer.isError()
                        ? answer
                        : ToolResult.ok(answer.text() + "\n[The skill has other files, which `path` reads: "
                                + String.join(", ", others) + "]");
            } catch (IllegalArgumentException e) {
                return ToolResult.error(String.valueOf(e.getMessage()));
            }
        };
    }
}
