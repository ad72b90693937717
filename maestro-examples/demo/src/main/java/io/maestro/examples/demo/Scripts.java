package io.maestro.examples.demo;

import io.maestro.llm.LlmClient;
import io.maestro.story.Story;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the models say when no real one is asked.
 *
 * @param coder the coder's part
 * @param architect the architect's part
 * @param notice says that it is a script, and what it can do
 */
record Scripts(LlmClient coder, LlmClient architect, String notice) {
    private static final String SAMPLE =
            "SCRIPTED: no model is asked, both agents play a script (--model NAME asks a real one)";
    private static final Pattern FENCED = Pattern.compile("(?s)```[^\\n]*\\n(.*?)```");

    /** The story of the sample project, with a review that asks for a change before it approves. */
    static Scripts forSample() {
        return new Scripts(sampleCoder().build(), sampleArchitect().build(), SAMPLE);
    }

    /** The same with a pull request, whose check and reviewer ask for more. */
    static Scripts forForge() {
        LlmClient coder = sampleCoder()
                .turn(
                        Turn.in("CODING")
                                .expecting("the languages are not listed")
                                .reply(
                                        Reply.toolCall(
                                                "edit_file",
                                                Map.of(
                                                        "path", "README.md",
                                                        "old", "Tests: `sh run-tests.sh`",
                                                        "new",
                                                                "Languages: `es`; every other one gets English.\n\nTests: `sh run-tests.sh`"))))
                .turn(Turn.in("CODING")
                        .reply(Reply.toolCall("done", Map.of("summary", "README.md lists the languages."))))
                .turn(Turn.in("CODING")
                        .expecting("Which languages are there?")
                        .reply(Reply.toolCall(
                                "edit_file",
                                Map.of(
                                        "path", "src/Greeter.java",
                                        "old", "    public static String greet(",
                                        "new", """
                                                    /** Greets in Spanish for {@code es}, and in English for every other language. */
                                                    public static String greet("""))))
                .turn(Turn.in("CODING")
                        .reply(Reply.toolCall("done", Map.of("summary", "The languages stand above Greeter.greet."))))
                .build();
        LlmClient architect = sampleArchitect()
                .turn(approved("The README says it."))
                .turn(approved("Merge it."))
                .turn(approved("So does the method."))
                .turn(approved("Merge it."))
                .build();
        return new Scripts(coder, architect, SAMPLE);
    }

    private static ScriptedLlm.Builder sampleCoder() {
        return ScriptedLlm.builder("scripted-coder")
                .turn(Turn.in("PLANNING")
                        .expecting("Greet in the user's language")
                        .reply(Reply.toolCall("read_file", Map.of("path", "src/Greeter.java"))
                                .andToolCall("read_file", Map.of("path", "test/GreeterTest.java"))))
                .turn(Turn.in("PLANNING")
                        .reply(Reply.toolCall(
                                "submit_plan",
                                Map.of(
                                        "plan",
                                        "In src/Greeter.java, choose the greeting by the language with a switch: es is"
                                                + " Spanish, en is English. The failing test in test/GreeterTest.java shows"
                                                + " that it works; nothing else calls greet."))))
                .turn(Turn.in("CODING").reply(Reply.toolCall("test", Map.of())))
                .turn(Turn.in("CODING")
                        .expecting("tests failed")
                        .reply(Reply.toolCall(
                                "edit_file",
                                Map.of(
                                        "path", "src/Greeter.java",
                                        "old", "        return \"Hello, \" + name + \"!\";\n",
                                        "new", """
                                                        return switch (language) {
                                                            case "en" -> "Hello, " + name + "!";
                                                            case "es" -> "¡Hola, " + name + "!";
                                                            default -> throw new IllegalArgumentException(language);
                                                        };
                                                """))))
                .turn(Turn.in("CODING").reply(Reply.toolCall("test", Map.of())))
                .turn(Turn.in("CODING")
                        .expecting("tests passed")
                        .reply(Reply.toolCall("done", Map.of("summary", "Greeter.greet chooses English or Spanish."))))
                .turn(Turn.in("CODING")
                        .expecting("falls back to English")
                        .reply(Reply.toolCall(
                                        "edit_file",
                                        Map.of(
                                                "path", "src/Greeter.java",
                                                "old", """
                                                                    case "en" -> "Hello, " + name + "!";
                                                                    case "es" -> "¡Hola, " + name + "!";
                                                                    default -> throw new IllegalArgumentException(language);
                                                        """,
                                                "new", """
                                                                    case "es" -> "¡Hola, " + name + "!";
                                                                    default -> "Hello, " + name + "!";
                                                        """))
                                .andToolCall(
                                        "edit_file",
                                        Map.of(
                                                "path", "test/GreeterTest.java",
                                                "old", "        System.out.println(",
                                                "new", """
                                                                check("Hello, Ada!", Greeter.greet("Ada", "xx"));
                                                                System.out.println("""))))
                .turn(Turn.in("CODING").reply(Reply.toolCall("test", Map.of())))
                .turn(Turn.in("CODING")
                        .expecting("tests passed")
                        .reply(Reply.toolCall(
                                "done",
                                Map.of(
                                        "summary",
                                        "Greeter.greet chooses Spanish for es and falls back to English for every other"
                                                + " language; a test covers the fallback."))));
    }

    private static ScriptedLlm.Builder sampleArchitect() {
        return ScriptedLlm.builder("scripted-architect")
                .turn(Turn.expecting("A plan to review")
                        .reply(Reply.toolCall("list_files", Map.of("pattern", "**/*.java"))))
                .turn(approved("Good: small, and the test is there."))
                .turn(Turn.expecting("A change to review")
                        .reply(Reply.toolCall("read_file", Map.of("path", "src/Greeter.java"))))
                .turn(Turn.expecting("IllegalArgumentException")
                        .reply(Reply.toolCall(
                                "review_complete",
                                Map.of(
                                        "decision",
                                        "NEEDS_CHANGES",
                                        "feedback",
                                        "src/Greeter.java throws for an unknown language, where it greeted before."
                                                + " I expect that it falls back to English, with a test for it."))))
                .turn(Turn.expecting("A change to review").reply(Reply.toolCall("get_diff", Map.of())))
                .turn(approved("The fallback is there and tested."))
                .turn(Turn.expecting("A change to merge")
                        .reply(Reply.toolCall(
                                "review_complete",
                                Map.of("decision", "APPROVED", "feedback", "Reviewed, tested, pushed: merge it."))));
    }

    /** Something that a script can do in any repository: it adds to README.md what the story holds ready. */
    static Scripts forOwnRepository(Story story) {
        Matcher fenced = FENCED.matcher(story.content());
        String text = fenced.find() ? fenced.group(1).strip() : story.title();
        String append = "[ ! -s README.md ] || [ -z \"$(tail -c 1 README.md)\" ] || echo >> README.md\n"
                + "cat >> README.md <<'END_OF_STORY'\n\n" + text + "\nEND_OF_STORY";
        LlmClient coder = ScriptedLlm.builder("scripted-coder")
                .turn(Turn.in("PLANNING").reply(Reply.toolCall("list_files", Map.of("pattern", "*"))))
                .turn(Turn.in("PLANNING")
                        .reply(Reply.toolCall("submit_plan", Map.of("plan", "Append to README.md:\n\n" + text))))
                .turn(Turn.in("CODING").reply(Reply.toolCall("shell", Map.of("cmd", append))))
                .turn(Turn.in("CODING")
                        .expecting("exit code 0")
                        .reply(Reply.toolCall("done", Map.of("summary", "Appended the story's text to README.md."))))
                .build();
        LlmClient architect = ScriptedLlm.builder("scripted-architect")
                .turn(approved("Fine."))
                .turn(Turn.expecting("A change to review").reply(Reply.toolCall("get_diff", Map.of())))
                .turn(approved("Just what the plan said."))
                .turn(approved("Merge it."))
                .build();
        return new Scripts(
                coder,
                architect,
                "SCRIPTED: no model is asked; the script appends the story's first code block (or else its title) to"
                        + " README.md and approves it (--model NAME asks a real one)");
    }

    private static Turn approved(String feedback) {
        return Turn.any()
                .reply(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", feedback)));
    }
}
