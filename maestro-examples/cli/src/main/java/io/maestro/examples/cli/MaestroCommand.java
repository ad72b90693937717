package io.maestro.examples.cli;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Spec;

/** The program {@code maestro}. */
@Command(
        name = "maestro",
        mixinStandardHelpOptions = true,
        version = "maestro 0.1.0-SNAPSHOT",
        description =
                "Runs AI coding agents as a team. Settings are read from .maestro-work/config.json; see --directory.",
        footer = {
            "",
            "Exit codes: 0 fine; 1 the work has failed, or something is wrong; 2 a wrong command line; 3 an answer or a"
                    + " cancellation that came too late; 4 a replay that differs; 5 work was merged UNTESTED.",
            "Completion: source <(maestro completion)"
        },
        subcommands = {
            RunCommand.class,
            SpecCommand.class,
            ResumeCommand.class,
            StatusCommand.class,
            InboxCommand.class,
            AnswerCommand.class,
            CancelCommand.class,
            ReportCommand.class,
            ReplayCommand.class,
            DoctorCommand.class,
            AutoComplete.GenerateCompletion.class
        })
public final class MaestroCommand implements Runnable {
    /** The work has failed, or something is wrong. */
    static final int FAILED = 1;

    /** Somebody was faster. */
    static final int TOO_LATE = 3;

    /** A replay has taken another way, or has come to other files. */
    static final int DIFFERS = 4;

    /** All is done, and some of it was merged although its tests could not be run. */
    static final int UNTESTED = 5;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    /** For picocli. */
    MaestroCommand() {}

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Which command?");
    }

    /**
     * Starts the program.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.setOut(new PrintStream(System.out, true, StandardCharsets.UTF_8));
        System.exit(line(utf8(System.out), utf8(System.err)).execute(args));
    }

    private static PrintWriter utf8(PrintStream stream) {
        return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }

    /** The command line, with its outputs. */
    static CommandLine line(PrintWriter out, PrintWriter err) {
        CommandLine line = new CommandLine(new MaestroCommand());
        line.getSubcommands().get("generate-completion").getCommandSpec().name("completion");
        CommandLine completion = line.getSubcommands().get("generate-completion");
        line.getCommandSpec().removeSubcommand("generate-completion");
        line.getCommandSpec().addSubcommand("completion", completion);
        line.setOut(out);
        line.setErr(err);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof MaestroException
                    || failure instanceof IllegalArgumentException
                    || failure instanceof IllegalStateException
                    || failure instanceof UncheckedIOException
                    || failure instanceof IOException) {
                command.getErr().println("maestro: " + Output.safe(String.valueOf(failure.getMessage())));
                return FAILED;
            }
            throw failure;
        });
        return line;
    }
}
