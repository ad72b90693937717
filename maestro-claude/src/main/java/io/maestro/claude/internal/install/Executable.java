package io.maestro.claude.internal.install;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a file of the host needs to run.
 *
 * @param machine as {@code uname -m} says it; empty for a script, which runs anywhere
 * @param interpreter the dynamic loader, or what a script names in its first line; empty for a static program
 */
record Executable(Optional<String> machine, Optional<String> interpreter) {
    private static final int HEADER = 64;
    private static final int MAX_LINE = 256;
    private static final int PROGRAM_HEADERS = 128;
    private static final int INTERPRETER = 3;

    /** Reads the beginning of a file. */
    static Executable read(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] start = new byte[(int) Math.min(MAX_LINE, in.length())];
            in.readFully(start);
            if (start.length > 2 && start[0] == '#' && start[1] == '!') {
                return script(file, start);
            }
            boolean elf = start.length >= HEADER
                    && start[0] == 0x7f
                    && start[1] == 'E'
                    && start[2] == 'L'
                    && start[3] == 'F'
                    && start[4] == 2
                    && start[5] == 1;
            if (!elf) {
                throw new StepFailure(
                        file + " is no program for 64-bit Linux, nor a shell script; name the native binary of"
                                + " Claude Code for the sandbox's platform");
            }
            return elf(in, start);
        } catch (EOFException e) {
            throw new StepFailure(file + " is cut off; install it again on the host");
        }
    }

    private static Executable script(Path file, byte[] start) {
        String line =
                new String(start, StandardCharsets.UTF_8).lines().findFirst().orElse("");
        String program = line.substring(2).strip().split("\\s+", 2)[0];
        if (program.endsWith("/env")) {
            throw new StepFailure(file + " is a script that needs other files of its package (\"" + line
                    + "\"); name the native binary, or the directory of its npm package");
        }
        return new Executable(Optional.empty(), Optional.of(program));
    }

    private static Executable elf(RandomAccessFile in, byte[] start) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN);
        int number = header.getShort(18) & 0xffff;
        String machine = switch (number) {
            case 62 -> "x86_64";
            case 183 -> "aarch64";
            default -> "ELF machine " + number;
        };
        long table = header.getLong(32);
        int size = header.getShort(54) & 0xffff;
        int count = Math.min(PROGRAM_HEADERS, header.getShort(56) & 0xffff);
        for (int i = 0; i < count && size >= 56; i++) {
            byte[] bytes = new byte[56];
            in.seek(table + (long) i * size);
            in.readFully(bytes);
            ByteBuffer entry = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (entry.getInt(0) == INTERPRETER) {
                byte[] path = new byte[(int) Math.max(0, Math.min(MAX_LINE, entry.getLong(32)))];
                in.seek(entry.getLong(8));
                in.readFully(path);
                String text = new String(path, StandardCharsets.UTF_8);
                int end = text.indexOf('\0');
                return new Executable(Optional.of(machine), Optional.of(end < 0 ? text : text.substring(0, end)));
            }
        }
        return new Executable(Optional.of(machine), Optional.empty());
    }
}
