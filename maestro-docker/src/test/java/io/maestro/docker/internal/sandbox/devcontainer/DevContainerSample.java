package io.maestro.docker.internal.sandbox.devcontainer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A devcontainer.json as strangers write it, and what is made of it: thirty of the shapes that public repositories have, and twenty
 * that are hostile.
 *
 * @param name of the file, with its directory
 * @param text the file
 * @param image what it is made from; empty for nothing that is taken
 * @param dockerfile what it is built from; empty for nothing that is taken
 * @param features how many are taken
 * @param commands how many are taken
 * @param refused the members that are named as refused; empty for a file that cannot be read, too
 * @param readable whether it can be read
 */
public record DevContainerSample(
        String name,
        String text,
        String image,
        String dockerfile,
        int features,
        int commands,
        List<String> refused,
        boolean readable) {
    private static final String UNREADABLE = "UNREADABLE";

    /** All. */
    public static List<DevContainerSample> all() {
        List<DevContainerSample> all = new ArrayList<>(of("public"));
        all.addAll(of("hostile"));
        return all;
    }

    static List<DevContainerSample> of(String kind) {
        return text(kind + ".tsv")
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> sample(kind, line.split("\t", -1)))
                .toList();
    }

    private static DevContainerSample sample(String kind, String[] cells) {
        String file = kind + "/" + cells[0];
        boolean readable = !cells[5].equals(UNREADABLE);
        return new DevContainerSample(
                file,
                text(file),
                given(cells[1]),
                given(cells[2]),
                readable ? Integer.parseInt(cells[3]) : 0,
                readable ? Integer.parseInt(cells[4]) : 0,
                readable && !cells[5].equals("-") ? List.of(cells[5].split(",")) : List.of(),
                readable);
    }

    private static String given(String cell) {
        return cell.equals("-") ? "" : cell;
    }

    private static String text(String name) {
        String path = "/io/maestro/docker/devcontainers/" + name;
        try (InputStream in = Objects.requireNonNull(DevContainerSample.class.getResourceAsStream(path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        }
    }
}
