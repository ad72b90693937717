package io.maestro;

import io.maestro.agent.AgentTask;
import io.maestro.event.MaestroEvent;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Configurations, prompts, modules, tools, stories and agents. */
class MisuseOfPartsTest extends Misuses {
    @TestFactory
    Stream<DynamicTest> configurations() {
        thrown(
                "a file that is not there",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .config(directory.resolve("no.json"))
                        .build(),
                "the settings in ",
                "no.json cannot be read");
        thrown(
                "a value in a file",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .repository("/no/where.git")
                        .config(Files.writeString(
                                directory.resolve("team.json"), "{\"agents\":{\"coder_model\":\"gemini\"}}"))
                        .build(),
                "in " + directory.resolve("team.json") + ", $.agents.coder_model: ",
                "write anthropic:<model> or openai:<model>");
        thrown("no JSON", () -> config("{").build(), "given as text", "not valid JSON (line 1, column 2)");
        thrown(
                "a comment in JSON",
                () -> config("{ // hello\n}").build(),
                "not valid JSON (line 1, column 3)",
                "comment");
        thrown(
                "a word that is wrong by a letter",
                () -> config("{\"agents\":{\"max_codrs\":3}}").build(),
                "$.agents.max_codrs: unknown property; did you mean \"max_coders\"?");
        thrown(
                "a text for a number",
                () -> config("{\"agents\":{\"max_coders\":\"three\"}}").build(),
                "$.agents.max_coders: must be an integer, is \"three\"");
        thrown(
                "a secret in the file",
                () -> config("{\"agents\":{\"coder_model\":\"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\"}}")
                        .build(),
                "$.agents.coder_model: looks like a secret",
                "API keys come from the environment");
        thrown(
                "a variable that is not set",
                () -> config(
                                "{\"agents\":{\"coder_model\":\"claude-x\"},\"models\":{\"anthropic\":{\"bearer_token\":\"NOT_SET\"}}}")
                        .build(),
                "$.models.anthropic.bearer_token: the variable NOT_SET is not set in the environment");
        thrown(
                "a prompt that nobody asks for",
                () -> good().prompts(prompts -> prompts.prompt("coder-codding", "x"))
                        .build(),
                "there is no prompt 'coder-codding'; did you mean 'coder-coding'?");
        thrown(
                "a variable that a prompt has not",
                () -> good().prompts(prompts -> prompts.prompt("agent", "{{stroy}}"))
                        .build(),
                "the prompt 'agent' cannot be used: it has no variable stroy; there are agentId, terminal, tools");
        thrown(
                "a section that is not closed",
                () -> good().prompts(prompts -> prompts.prompt("agent", "{{#tools}}x"))
                        .build(),
                "the prompt 'agent' cannot be used: Section missing close tag 'tools'");
        thrown(
                "a directory of prompts that is not there",
                () -> good().prompts(prompts -> prompts.directory(directory.resolve("no-prompts")))
                        .build(),
                "there is no directory of prompts",
                "no-prompts");
        thrown(
                "containers without their module",
                () -> good().environment("docker").build(),
                "environment(\"docker\"): no environment 'docker' is there",
                "add the module that provides it",
                "maestro-docker");
        thrown(
                "Claude Code without its module",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .repository("/x.git")
                        .architectModel(script())
                        .coderMode("claude-code")
                        .build(),
                "coderMode(\"claude-code\"): no coder mode 'claude-code' is there",
                "needs the module maestro-claude");
        thrown(
                "an id that is none",
                () -> Maestro.builder().environment("Docker Desktop"),
                "has lower-case letters, digits and dashes, is 'Docker Desktop'");
        return cases.stream();
    }

    @TestFactory
    Stream<DynamicTest> toolsAndStories() {
        thrown(
                "a tool without a description",
                () -> ToolDefinition.builder("x").build(),
                "tool 'x' has no description: say what it does");
        thrown(
                "a tool with a name that no model takes",
                () -> ToolDefinition.builder("my tool"),
                "not a tool name: 'my tool'; use 1 to 64 letters, digits, '_' and '-'");
        thrown(
                "a tool with the name of a built-in one",
                () -> good().tool(tool("shell")).build(),
                "shell",
                "choose another");
        thrown(
                "two tools with one name",
                () -> good().tool(tool("twice")).tool(tool("Twice")).build(),
                "tool 'Twice' of",
                "rename one of the two, or remove its jar");
        thrown(
                "a reserved name",
                () -> good().tool(tool("mcp__x")).build(),
                "tool 'mcp__x' of",
                "names that begin with 'mcp__' are reserved; choose another");
        said(
                "a jar that names a class that is missing",
                () -> {
                    try (URLClassLoader loader = Announced.in(fresh(), ToolFactory.class);
                            Maestro maestro = good().tools(tools -> tools.discover(true))
                                    .tools(tools -> tools.classLoader(loader))
                                    .build()) {
                        return maestro.toolProblems().toString();
                    }
                },
                "io.maestro.Missing",
                "not found");
        said(
                "a tool that cannot be made",
                () -> {
                    try (URLClassLoader loader = Announced.in(fresh(), ToolFactory.class, Fails.class);
                            Maestro maestro = good().tools(tools -> tools.discover(true))
                                    .tools(tools -> tools.classLoader(loader))
                                    .build()) {
                        return maestro.toolProblems().toString();
                    }
                },
                Fails.class.getName(),
                "no tracker is configured");
        said(
                "a story that waits for one that nobody has",
                () -> {
                    BlockingQueue<MaestroEvent> events = new LinkedBlockingQueue<>();
                    try (Maestro maestro = good().build()) {
                        maestro.submit(
                                Story.builder("1", "t")
                                        .content("c")
                                        .dependsOn("nobodys")
                                        .build(),
                                events::add);
                        MaestroEvent event = events.take();
                        while (!(event instanceof MaestroEvent.DependencyUnknown)) {
                            event = events.take();
                        }
                        return event.toString();
                    }
                },
                "storyId=1",
                "dependency=nobodys");
        thrown(
                "a story without a title",
                () -> Story.builder("1", " ").build(),
                "the title of story 1 must be one line that is not blank");
        thrown(
                "a story with an id for a path",
                () -> Story.builder("../x", "t").content("c").build(),
                "not a story id: '../x'; use 1 to 64 letters, digits, '_' and '-'");
        thrown(
                "a story from a file that is not there",
                () -> Story.fromMarkdown(directory.resolve("no.md")),
                "there is no story file",
                "no.md");
        thrown(
                "a story from an empty file",
                () -> Story.fromMarkdown(Files.writeString(directory.resolve("empty.md"), ""))
                        .build(),
                "empty.md cannot be used: the title of story empty must be one line that is not blank");
        thrown(
                "a story from a binary file",
                () -> Story.fromMarkdown(Files.write(directory.resolve("b.md"), new byte[] {(byte) 0xff, 0, 1}))
                        .build(),
                "b.md is no text in UTF-8");
        thrown(
                "a specification without content",
                () -> Spec.builder("s", "t").content(" ").build(),
                "specification s has no content: say what is to be built");
        thrown(
                "a story that depends on itself",
                () -> Story.builder("1", "t").content("c").dependsOn("1").build(),
                "story 1 cannot depend on itself");
        thrown(
                "a story that runs already",
                () -> {
                    try (Maestro maestro = good().build()) {
                        maestro.submit(Story.builder("1", "t").content("one").build());
                        maestro.submit(Story.builder("1", "t").content("two").build())
                                .await();
                    }
                },
                "story 1 is running already in this Maestro");
        thrown(
                "a Maestro that is closed",
                () -> {
                    Maestro maestro = good().build();
                    maestro.close();
                    maestro.run(Story.builder("1", "t").content("c").build());
                },
                "this Maestro is closed; build a new one to run story 1");
        thrown(
                "a story that nobody knows is resumed",
                () -> {
                    try (Maestro maestro = good().build()) {
                        maestro.resume("nobody", 0);
                    }
                },
                "there is no story nobody in the record");
        thrown(
                "an agent without a directory",
                () -> Maestro.agent().model(script()).build(),
                "an agent needs a directory to work in: call directory(…)");
        thrown(
                "an agent without a model",
                () -> Maestro.agent().directory(directory).build(),
                "an agent needs somebody who thinks: call model(…) or program(…)");
        thrown(
                "an agent on a directory that is not there",
                () -> Maestro.agent()
                        .directory(directory.resolve("gone"))
                        .model(script())
                        .build(),
                "gone is not there, or is no directory: make it, or name another one");
        thrown("a task without words", () -> AgentTask.of(" "), "a task needs a text; say what is to be done");
        return cases.stream();
    }
}
