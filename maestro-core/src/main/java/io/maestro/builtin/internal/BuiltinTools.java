package io.maestro.builtin.internal;

import io.maestro.tools.ToolFactory;
import java.util.List;

/** The tools that come with Maestro; their names are reserved. */
public final class BuiltinTools {
    private BuiltinTools() {}

    /** All of them. */
    public static List<ToolFactory> all() {
        return List.of(
                new ShellTool(),
                new ReadFileTool(),
                new WriteFileTool(),
                new EditFileTool(),
                new ListFilesTool(),
                new SearchFilesTool(),
                new GetDiffTool(),
                new TestTool(),
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

    /** Those of an agent that works alone. */
    public static List<ToolFactory> alone() {
        return List.of(
                new ShellTool(),
                new ReadFileTool(),
                new WriteFileTool(),
                new EditFileTool(),
                new ListFilesTool(),
                new SearchFilesTool(),
                new TestTool(),
                TodoTools.add(),
                TodoTools.complete(),
                TodoTools.update(),
                TerminalTools.taskDone(),
                TerminalTools.taskBlocked());
    }
}
