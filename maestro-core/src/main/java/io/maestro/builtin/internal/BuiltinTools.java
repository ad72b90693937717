package io.maestro.builtin.internal;

import io.maestro.builtin.internal.jobs.ShellJobs;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolFactory;
import io.maestro.web.SearchProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tools that come with Maestro; their names are reserved. */
public final class BuiltinTools {
    private BuiltinTools() {}

    /** All of them. */
    public static List<ToolFactory> all() {
        ShellJobs.ByContext jobs = new ShellJobs.ByContext();
        return List.of(
                new ShellTool(jobs),
                new ShellJobTool(jobs),
                new ReadFileTool(),
                new WriteFileTool(),
                new EditFileTool(),
                new ListFilesTool(),
                new SearchFilesTool(),
                new GetDiffTool(),
                new ReadSkillTool(),
                ProjectCommandTool.build(),
                ProjectCommandTool.lint(),
                ProjectCommandTool.test(),
                new BackendInfoTool(),
                new ChatPostTool(),
                new ChatReadTool(),
                TodoTools.add(),
                TodoTools.complete(),
                TodoTools.update(),
                TerminalTools.submitPlan(),
                TerminalTools.storyComplete(),
                TerminalTools.askQuestion(),
                TerminalTools.reportBlocked(),
                TerminalTools.done(),
                TerminalTools.submitReply(),
                TerminalTools.reviewComplete(),
                SpecTools.submitStories(),
                SpecTools.storyEdit(),
                SpecTools.storyGiveUp());
    }

    /** Without which a role of a team cannot do its work. */
    public static Map<ToolAudience, Set<String>> needed() {
        return Map.of(
                ToolAudience.CODER_PLANNING, Set.of("submit_plan"),
                ToolAudience.CODER_CODING, Set.of("done"),
                ToolAudience.ARCHITECT, Set.of("submit_reply", "review_complete"),
                ToolAudience.ARCHITECT_SCOPING, Set.of("submit_stories"),
                ToolAudience.ARCHITECT_EDITING, Set.of("story_edit"));
    }

    /**
     * Those for the web, which only a host that wants them has.
     *
     * @param fetch whether pages may be fetched
     * @param search who searches; null for nobody
     */
    public static List<ToolFactory> web(boolean fetch, @Nullable SearchProvider search) {
        List<ToolFactory> tools = new ArrayList<>();
        if (fetch) {
            tools.add(new WebFetchTool());
        }
        if (search != null) {
            tools.add(new WebSearchTool(search));
        }
        return tools;
    }

    /** Those of an agent that works alone. */
    public static List<ToolFactory> alone() {
        ShellJobs.ByContext jobs = new ShellJobs.ByContext();
        return List.of(
                new ShellTool(jobs),
                new ShellJobTool(jobs),
                new ReadFileTool(),
                new WriteFileTool(),
                new EditFileTool(),
                new ListFilesTool(),
                new SearchFilesTool(),
                ProjectCommandTool.build(),
                ProjectCommandTool.lint(),
                ProjectCommandTool.test(),
                new BackendInfoTool(),
                TodoTools.add(),
                TodoTools.complete(),
                TodoTools.update(),
                TerminalTools.taskDone(),
                TerminalTools.taskBlocked());
    }
}
