package io.maestro.chaos;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Notes in a file, beside the record, to which request a model has given which answer: this is what was paid, whatever becomes
 * of it. Several processes may write to the file.
 */
final class NotedAnswers implements LlmClient {
    private final LlmClient model;
    private final Path file;

    NotedAnswers(LlmClient model, Path file) {
        this.model = model;
        this.file = file;
    }

    @Override
    public String model() {
        return model.model();
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        LlmResponse response = model.complete(request);
        LlmContent.ToolUse call = (LlmContent.ToolUse) response.content().get(0);
        String text = request.origin() + request.system() + request.messages();
        String line = hash(text) + " " + request.origin().storyId() + "/"
                + request.origin().state() + " " + call.id() + "\n";
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return response;
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Requests that were paid twice: sent once more in the same attempt although there was an answer to them in the record. What
     * is in the record of no attempt was lost with a process.
     *
     * @param attempts the calls in the answers that are in the record, with their attempts
     */
    static List<String> paidTwice(Path file, Map<String, Integer> attempts) throws IOException {
        List<String> twice = new ArrayList<>();
        Map<String, String> before = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ", -1);
            Integer attempt = attempts.get(words[2]);
            String first = attempt == null ? null : before.put(words[0] + " " + attempt, words[2]);
            if (first != null) {
                twice.add("paid twice: " + words[1] + ", answered by " + first + " and " + words[2]);
            }
        }
        return twice;
    }
}
