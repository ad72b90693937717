package io.maestro.claude.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeStreamParser;
import io.maestro.claude.testing.Transcripts;
import io.maestro.claude.testing.TreeEvents;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** One output of about 4 MB, read in each of the ways. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class Parsing {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SIZE = 4_000_000;
    private static final int PIECE = 1 << 16;

    /**
     * What is read: all transcripts; the one with partial messages; or one whose tool has given long answers, as a run that reads
     * files has.
     */
    @Param({"transcripts", "partial", "long"})
    public String corpus = "transcripts";

    private byte[] output = new byte[0];

    /** Makes the output. */
    @Setup
    public void setUp() {
        byte[] once = switch (corpus) {
            case "transcripts" -> {
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                Transcripts.NAMES.forEach(name -> all.writeBytes(Transcripts.output(name)));
                yield all.toByteArray();
            }
            case "partial" -> Transcripts.output("06_partial_messages");
            default -> withLongAnswers();
        };
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < SIZE) {
            all.writeBytes(once);
        }
        output = all.toByteArray();
    }

    /** The answer stands in the line twice, as the CLI prints it. */
    private static byte[] withLongAnswers() {
        String file = "    public int size() {\\n        return size; // \\\"the size\\\"\\n    }\\n".repeat(1500);
        String text = new String(Transcripts.output("01_bash_write"), StandardCharsets.UTF_8)
                .replace("\"content\":\"hello\"", "\"content\":\"" + file + "\"")
                .replace("\"stdout\":\"hello\"", "\"stdout\":\"" + file + "\"");
        return text.getBytes(StandardCharsets.UTF_8);
    }

    int bytes() {
        return output.length;
    }

    /** The events of the parser. */
    List<ClaudeEvent> events() {
        return ClaudeStreamParser.parse(output);
    }

    /** The events made from trees. */
    List<ClaudeEvent> expected() {
        return new String(output, StandardCharsets.UTF_8)
                .lines()
                .flatMap(line -> TreeEvents.of(line).stream())
                .toList();
    }

    /** Ours: in pieces as they come from a pipe. */
    @Benchmark
    public void parser(Blackhole sink) {
        ClaudeStreamParser parser = new ClaudeStreamParser(sink::consume);
        for (int at = 0; at < output.length; at += PIECE) {
            parser.feed(output, at, Math.min(PIECE, output.length - at));
        }
        parser.end();
    }

    /** A reader's lines, a tree of each, and nothing made of it. */
    @Benchmark
    public void treeOfText(Blackhole sink) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(new ByteArrayInputStream(output), StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            sink.consume(JSON.readTree(line));
        }
    }

    /** Lines cut out of the bytes, a tree of each, and nothing made of it. */
    @Benchmark
    public void treeOfBytes(Blackhole sink) throws IOException {
        int from = 0;
        for (int at = 0; at < output.length; at++) {
            if (output[at] == '\n') {
                JsonNode tree = JSON.readTree(output, from, at - from);
                sink.consume(tree);
                from = at + 1;
            }
        }
    }

    /** A reader's lines, and the same events as ours made from trees. */
    @Benchmark
    public void eventsOfTrees(Blackhole sink) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(new ByteArrayInputStream(output), StandardCharsets.UTF_8));
        List<ClaudeEvent> events = new ArrayList<>();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            events.addAll(TreeEvents.of(line));
        }
        sink.consume(events);
    }
}
