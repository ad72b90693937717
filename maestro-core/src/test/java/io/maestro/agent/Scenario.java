package io.maestro.agent;

import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** One way through the states of a coder: what model and architect say, and the states that must follow from it. */
final class Scenario {
    final String name;
    final RuleArchitect architect = new RuleArchitect();
    final List<Reply> coder = new ArrayList<>();
    List<CoderState> path = List.of();
    Outcome outcome = Outcome.MERGED;
    String error = "";
    boolean express;
    UnaryOperator<Limits.Builder> limits = builder -> builder;
    BiConsumer<MaestroBuilder, TestRepository> setUp = (builder, repository) -> {};

    Scenario(String name) {
        this.name = name;
    }

    Scenario coder(Reply... replies) {
        coder.addAll(Arrays.asList(replies));
        return this;
    }

    Scenario architect(Architect.Kind kind, Architect.Decision decision, String message) {
        architect.on(kind, decision, message);
        return this;
    }

    Scenario architectFails(Architect.Kind kind, RuntimeException failure) {
        architect.on(kind, failure);
        return this;
    }

    Scenario express() {
        express = true;
        return this;
    }

    Scenario limits(UnaryOperator<Limits.Builder> change) {
        limits = change;
        return this;
    }

    Scenario setUp(BiConsumer<MaestroBuilder, TestRepository> change) {
        setUp = change;
        return this;
    }

    /** The states after WAITING and SETUP. */
    Scenario then(CoderState... states) {
        List<CoderState> all = new ArrayList<>(List.of(CoderState.WAITING, CoderState.SETUP));
        all.addAll(Arrays.asList(states));
        path = List.copyOf(all);
        return this;
    }

    /** The transitions of its path, as {@code FROM->TO}. */
    Set<String> edges() {
        Set<String> edges = new HashSet<>();
        for (int i = 1; i < path.size(); i++) {
            edges.add(path.get(i - 1) + "->" + path.get(i));
        }
        return edges;
    }

    Scenario ends(Outcome expected, String errorContains) {
        outcome = expected;
        error = errorContains;
        return this;
    }

    Story story() {
        Story.Builder builder = Story.builder("042", "Make the feature good").content("feature.txt must say good");
        return (express ? builder.express() : builder).build();
    }

    ScriptedLlm model() {
        ScriptedLlm.Builder builder = ScriptedLlm.builder("scripted-coder");
        coder.forEach(builder::turn);
        return builder.build();
    }

    static Reply plan() {
        return Reply.toolCall("submit_plan", Map.of("plan", "write good into feature.txt"));
    }

    static Reply write(String content) {
        return Reply.toolCall("write_file", Map.of("path", "feature.txt", "content", content));
    }

    static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "the feature is good"));
    }

    static Reply ask() {
        return Reply.toolCall("ask_question", Map.of("question", "how good?"));
    }

    static Reply look() {
        return Reply.toolCall("list_files", Map.of());
    }

    @Override
    public String toString() {
        return name;
    }
}
