package io.maestro.prompt.internal;

import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Templates of a host's own in files: {@code <name>.mustache}. */
public final class PromptDirectory {
    private static final String SUFFIX = ".mustache";
    private static final int LARGEST = 1024 * 1024;

    private PromptDirectory() {}

    /**
     * Reads the templates of a directory; files of other names are left alone.
     *
     * @param directory a directory
     * @return the templates by the prompts' names
     * @throws MaestroException when it cannot be read, or a template has the name of no prompt
     */
    public static Map<String, String> read(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new MaestroException("there is no directory of prompts " + directory);
        }
        Map<String, String> templates = new TreeMap<>();
        for (Path file : files(directory)) {
            String fileName = String.valueOf(file.getFileName());
            String name = fileName.substring(0, fileName.length() - SUFFIX.length());
            if (PromptTemplate.find(name).isEmpty()) {
                throw new MaestroException(file + ": " + Prompts.unknown(name));
            }
            templates.put(name, text(file));
        }
        return templates;
    }

    private static List<Path> files(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new MaestroException("the directory of prompts " + directory + " cannot be read: " + e, e);
        }
    }

    private static String text(Path file) {
        try {
            return PrivateFiles.readTrusted(file, LARGEST);
        } catch (MaestroException e) {
            throw new MaestroException("the prompt " + file + " cannot be read: " + e.getMessage(), e);
        } catch (CharacterCodingException e) {
            throw new MaestroException("the prompt " + file + " is not text in UTF-8", e);
        } catch (IOException e) {
            throw new MaestroException("the prompt " + file + " cannot be read: " + e, e);
        }
    }
}
