package io.maestro.command;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.testkit.ToolTester;
import io.maestro.tools.Property;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands as tools. */
class CommandToolTest {
    private static final Property TEXT = Property.string("a text");

    @TempDir
    Path directory;

    @BeforeEach
    void script() throws IOException {
        Path script = Files.writeString(
                directory.resolve("args.sh"),
                "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\ncase $1 in fail) echo gone >&2; exit 3;; esac\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    private static CommandTool.Builder tool(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "./args.sh";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return CommandTool.builder("x", command).description("runs it");
    }

    private ToolResult call(CommandTool.Builder tool, Map<String, ?> arguments) {
        try (ToolTester tester = ToolTester.of(tool.build())
                .directory(directory)
                .secret("hunter2-secret")
                .build()) {
            return tester.call(arguments);
        }
    }

    @Test
    void whatAModelGivesIsOneArgumentWhateverItHolds() {
        CommandTool.Builder tool =
                tool("{text}", "--to={text}", "KEY={text}", "{ print }", "end").argument("text", TEXT);
        String hostile = "a b; $(touch owned) `id` 'x' \"y\"\n* | > & {text} ${HOME} \\";
        ToolResult answer = call(tool, Map.of("text", hostile));
        assertThat(answer.text())
                .contains("exit code 0")
                .contains("<" + hostile + "><--to=" + hostile + "><KEY=" + hostile + "><{ print }><end>");
        assertThat(answer.isError()).isFalse();
        assertThat(answer.exitCode()).hasValue(0);
        assertThat(directory.resolve("owned")).doesNotExist();
    }

    @Test
    void numbersListsAndWhatIsLeftOutBecomeArguments() {
        CommandTool.Builder tool = tool("{whole}", "{share}", "{on}", "--tag={tag}", "{files}", "--", "{rest}")
                .argument("whole", Property.integer("whole"))
                .argument("share", Property.number("share"))
                .argument("on", Property.bool("on"))
                .optionalArgument("tag", TEXT)
                .argument("files", Property.array("files", TEXT))
                .optionalArgument("rest", Property.array("rest", Property.integer("")));
        assertThat(call(tool, Map.of("whole", 2.0, "share", 0.5, "on", true, "files", List.of("a b", "c")))
                        .text())
                .contains("<2><0.5><true><a b><c><-->");
        assertThat(call(
                                tool,
                                Map.of(
                                        "whole",
                                        1,
                                        "share",
                                        1,
                                        "on",
                                        false,
                                        "files",
                                        List.of(),
                                        "tag",
                                        "t",
                                        "rest",
                                        List.of(-1, 2)))
                        .text())
                .contains("<1><1><false><--tag=t><--><-1><2>");
    }

    @Test
    void aValueDoesNotBecomeAnOption() {
        for (Object value : new Object[] {"-rf", "--force", "-"}) {
            ToolResult answer = call(tool("{text}", "--", "end").argument("text", TEXT), Map.of("text", value));
            assertThat(answer.isError()).isTrue();
            assertThat(answer.text())
                    .startsWith("Nothing was run: 'text' begins with '-'")
                    .doesNotContain("exit code");
        }
        assertThat(call(tool("{n}").argument("n", Property.integer("n")), Map.of("n", -5))
                        .isError())
                .isTrue();
        assertThat(call(tool("{all}").argument("all", Property.array("all", TEXT)), Map.of("all", List.of("a", "-b")))
                        .isError())
                .isTrue();
        assertThat(call(tool("--", "{text}").argument("text", TEXT), Map.of("text", "-rf"))
                        .text())
                .contains("<--><-rf>");
        assertThat(call(tool("--x={text}").argument("text", TEXT), Map.of("text", "-rf"))
                        .text())
                .contains("<--x=-rf>");
        assertThat(call(tool("{text}").argument("text", Property.oneOf("mode", "-a", "-b")), Map.of("text", "-a"))
                        .text())
                .contains("<-a>");
    }

    @Test
    void whatNoCommandTakesIsRefused() {
        CommandTool.Builder tool = tool("{text}").argument("text", TEXT);
        assertThat(call(tool, Map.of("text", "a\0b")).text()).startsWith("Nothing was run: 'text' holds a NUL");
        assertThat(call(tool, Map.of("text", "x".repeat(40_000))).text()).contains("more than 32768 characters");
        CommandTool.Builder many = tool("{all}").argument("all", Property.array("all", TEXT));
        assertThat(call(many, Map.of("all", Collections.nCopies(1_001, "a"))).text())
                .contains("more than a command takes");
        assertThat(call(many, Map.of("all", Collections.nCopies(4, "x".repeat(30_000))))
                        .text())
                .contains("120000 characters");
        assertThat(call(tool("{n}").argument("n", Property.number("n")), Map.of("n", new BigDecimal("1e150")))
                        .text())
                .contains("more than 100 digits");
        assertThat(call(tool, Map.of("text", "[REDACTED:known-secret]")).text()).contains("nothing was done");
    }

    @Test
    void aFailureIsAnErrorWithItsExitCodeAndOutput() {
        ToolResult failed = call(tool("{text}").argument("text", TEXT), Map.of("text", "fail"));
        assertThat(failed.isError()).isTrue();
        assertThat(failed.exitCode()).hasValue(3);
        assertThat(failed.text()).contains("exit code 3", "<fail>", "gone");
        ToolResult missing = call(CommandTool.builder("x", "./no-such-program").description("runs nothing"), Map.of());
        assertThat(missing.isError()).isTrue();
        assertThat(missing.text()).contains("no-such-program");
        assertThat(call(tool("{text}").argument("text", TEXT), Map.of("text", "hunter2-secret"))
                        .text())
                .doesNotContain("hunter2-secret");
    }

    @Test
    void theCommandHasItsTimeAndTheToolALittleMore() {
        ExecRequest[] seen = new ExecRequest[1];
        Executor recording = new Executor() {
            @Override
            public ExecResult run(ExecRequest request) {
                seen[0] = request;
                throw new ExecException("not run", null);
            }

            @Override
            public String workingDirectory() {
                return "/";
            }
        };
        for (int seconds : new int[] {1, 60, 270, 3_600, 86_400}) {
            CommandTool tool = tool().timeLimit(Duration.ofSeconds(seconds)).build();
            assertThat(tool.definition().timeLimit()).isEqualTo(Duration.ofSeconds(seconds + 30L));
            try (ToolTester tester = ToolTester.of(tool).executor(recording).build()) {
                assertThat(tester.call("{}").text()).isEqualTo("not run");
            }
            assertThat(seen[0].timeLimit()).isEqualTo(Duration.ofSeconds(seconds));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> tool().timeLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> tool().timeLimit(Duration.ofDays(2)));
    }

    @Test
    void theDefinitionIsTheHosts() {
        CommandTool.Builder builder = tool("{a}", "{b}")
                .argument("a", TEXT)
                .optionalArgument("b", TEXT)
                .readOnly()
                .offeredTo(ToolAudience.ARCHITECT);
        ToolDefinition definition = builder.build().definition();
        assertThat(definition.readOnly()).isTrue();
        assertThat(definition.audiences()).containsExactly(ToolAudience.ARCHITECT);
        assertThat(definition.input().asMap().get("required")).isEqualTo(List.of("a"));
        assertThat(builder.build()).hasToString("x ./args.sh {a} {b}");
    }

    @Test
    void whatDoesNotFitTogetherIsRefused() {
        refused(CommandTool.builder("x").description("d"), "must begin with a program");
        refused(CommandTool.builder("x", "{a}").description("d").argument("a", TEXT), "must begin with a program");
        refused(tool("{b}").argument("a", TEXT), "no argument 'b'", "[a]");
        refused(tool("--b={b}"), "no argument 'b'");
        refused(tool().argument("a", TEXT), "[a] have no place");
        refused(tool("deploy {a} now").argument("a", TEXT), "whole argument", "'deploy {a} now'");
        refused(tool("x y={a}").argument("a", TEXT), "whole argument");
        refused(tool("{a}.txt").argument("a", TEXT), "whole argument");
        refused(tool("--env", "{a}").optionalArgument("a", TEXT), "--env={a}");
        refused(tool("--all={a}").argument("a", Property.array("", TEXT)), "the list 'a'");
        refused(tool("{a}").argument("a", Property.object("", object -> {})), "must have a type");
        refused(tool("{a}").argument("a", Property.array("", Property.array("", TEXT))), "must have a type");
        refused(tool("{a-b}").argument("a-b", TEXT), "'a-b' is not");
        refused(CommandTool.builder("x", "p"), "has no description");
    }

    private static void refused(CommandTool.Builder tool, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(tool::build)
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
    }

    /** Whatever the template and the values: what a model gives is an operand, listed, or behind a prefix of the host's. */
    @Test
    void randomCommandsKeepTheirShape() {
        long seed = Long.getLong("maestro.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String[] forms = {"{a}", "--o={a}", "--", "-v", "K={b}", "{b}", "text"};
            List<String> command = new ArrayList<>(List.of("p"));
            random.ints(5, 0, forms.length).forEach(i -> command.add(forms[i]));
            Map<String, Property> arguments = new LinkedHashMap<>();
            Set<String> used = new HashSet<>(command);
            for (String name : List.of("a", "b")) {
                if (used.stream().anyMatch(part -> part.contains("{" + name + "}"))) {
                    arguments.put(name, TEXT);
                }
            }
            String given = random.ints(random.nextInt(4), 0, 8)
                    .mapToObj(i -> "-a =\n{}$".substring(i, i + 1))
                    .collect(Collectors.joining());
            CommandTemplate template = CommandTemplate.of(command, arguments, Set.of());
            List<String> filled;
            try {
                filled = template.fill(ToolArguments.of(Map.of("a", given, "b", given)));
            } catch (CommandTemplate.UnfitArgumentException e) {
                assertThat(given).as("seed %d, %s", seed, command).startsWith("-");
                continue;
            }
            assertThat(filled).as("seed %d, %s", seed, command).hasSameSizeAs(command);
            for (int i = 0; i < command.size(); i++) {
                String expected = command.get(i).replaceFirst("\\{[ab]}$", Matcher.quoteReplacement(given));
                assertThat(filled.get(i)).as("seed %d, %s", seed, command).isEqualTo(expected);
                boolean operand = command.subList(0, i).contains("--");
                if (command.get(i).startsWith("{") && !operand) {
                    assertThat(filled.get(i)).as("seed %d, %s", seed, command).doesNotStartWith("-");
                }
            }
        }
    }
}
