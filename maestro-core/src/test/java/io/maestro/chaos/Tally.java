package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.TestRepository;
import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.internal.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What killed projects have come to: what is lost, what was done twice, what is left over. Safe for use by several threads. */
final class Tally {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> CHANGING = Set.of("write_file", "shell");

    private final String store;
    private final long seed;
    private int ends;
    private int closes;
    private int waiting;
    private final List<String> lost = new ArrayList<>();
    private final List<String> twice = new ArrayList<>();
    private final List<String> paidTwice = new ArrayList<>();
    private final List<String> orphans = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    Tally(String store, long seed) {
        this.store = store;
        this.seed = seed;
    }

    /**
     * A host was ended.
     *
     * @param closed whether it has closed its Maestro
     * @param waits whether a story waited for people
     */
    synchronized void ended(boolean closed, boolean waits) {
        ends++;
        closes += closed ? 1 : 0;
        waiting += waits ? 1 : 0;
    }

    synchronized int ends() {
        return ends;
    }

    /**
     * Looks at a project that should be done.
     *
     * @param tree what should have come of it
     */
    synchronized void check(KilledProject project, String tree) throws Exception {
        int before = faults();
        merges(project);
        tests(project);
        if (!project.repository.git("rev-parse", "main^{tree}").equals(tree)) {
            broken.add(project.directory + ": files " + project.repository.git("ls-tree", "-r", "--name-only", "main"));
        }
        new Orphans(project).find(orphans);
        try (Store record = Orphans.open(project)) {
            record.mergeQueue().forEach(row -> orphans.add("in the merge queue: " + row));
            stories(record);
            Map<String, Integer> answers = new HashMap<>();
            for (AuditLog.StoryRecord story : record.stories()) {
                answersOnce(record, story.id(), answers);
                chain(story.id(), record.transitions(story.id()));
            }
            answersOnce(record, SixStories.SPEC.id(), answers);
            paidTwice.addAll(NotedAnswers.paidTwice(ChaosHost.answers(project.directory), answers));
        }
        sums(project);
        if (faults() == before) {
            delete(project.directory);
        } else {
            System.out.println("see " + project.directory + ": " + broken + lost + twice + paidTwice + orphans);
        }
    }

    private int faults() {
        return lost.size() + twice.size() + paidTwice.size() + orphans.size() + broken.size();
    }

    /** A commit on a story's branch may have two parents, too: only what the target branch itself has had is looked at. */
    private void merges(KilledProject project) {
        List<String> merged = new ArrayList<>(project.repository
                .git(
                        "log",
                        "--first-parent",
                        "--merges",
                        "--format=%(trailers:key=Maestro-Story,valueonly,separator=)",
                        "main")
                .lines()
                .toList());
        for (String story : project.scenario.merged) {
            if (!merged.remove(story)) {
                lost.add(story + " is not merged: " + project.directory);
            }
        }
        merged.forEach(story -> twice.add(story + " is merged once more: " + project.directory));
    }

    /** Each commit that the target branch has had passes the tests. */
    private void tests(KilledProject project) throws Exception {
        Path checkout = project.directory.resolve("checkout");
        TestRepository.git(project.directory, "clone", "--quiet", project.repository.url(), checkout.toString());
        for (String commit : project.repository
                .git("rev-list", "--first-parent", "main")
                .lines()
                .toList()) {
            TestRepository.git(checkout, "checkout", "--quiet", commit);
            int exit = new ProcessBuilder("sh", "-c", project.scenario.tests)
                    .directory(checkout.toFile())
                    .start()
                    .waitFor();
            if (exit != 0) {
                broken.add("commit " + commit + " does not pass its tests: " + project.directory);
            }
        }
    }

    private void stories(Store record) {
        record.stories().stream()
                .filter(story -> !story.state().name().equals("DONE"))
                .forEach(story -> lost.add("story " + story.id() + " stands in " + story.state()));
        record.specs().stream()
                .filter(spec -> !spec.state().name().equals("DONE"))
                .forEach(spec -> lost.add("specification " + spec.id() + " stands in " + spec.state()));
    }

    /**
     * Each call of a model stands once in one answer, and was made once at most. A tool that only reads, or only says that a
     * turn is over, is called again where the end of its call is not known.
     */
    private void answersOnce(Store record, String story, Map<String, Integer> answers) throws IOException {
        for (AuditLog.Message message : record.messages(story)) {
            if (message.role().equals("assistant")) {
                for (JsonNode block : JSON.readTree(message.content())) {
                    if (block.has("id") && answers.put(block.path("id").asText(), message.attempt()) != null) {
                        twice.add("answer " + block.path("id").asText() + " is twice in the record");
                    }
                }
            }
        }
        Set<String> executed = new HashSet<>();
        for (AuditLog.ToolExecution call : record.toolExecutions(story)) {
            if (CHANGING.contains(call.tool()) && !executed.add(call.callId())) {
                twice.add("call " + call.callId() + " of " + call.tool() + " was made twice");
            }
            if (call.tool().equals("test") && call.exitCode() != null && call.exitCode() > 1) {
                broken.add("tests of " + story + " ended with " + call.exitCode() + " in " + call.sessionId());
            }
        }
    }

    /** Two who work on an attempt at the same time break the chain of its states. */
    private void chain(String story, List<StateTransition> transitions) {
        for (int i = 1; i < transitions.size(); i++) {
            StateTransition before = transitions.get(i - 1);
            StateTransition next = transitions.get(i);
            if (next.attempt() == before.attempt() && next.from() != before.to()) {
                twice.add(story + " went on from " + next.from() + " although it was in " + before.to());
            }
        }
    }

    /** What was spent is what the answers have cost, and what requests may have cost of which nobody knows the answer. */
    private void sums(KilledProject project) throws SQLException {
        try (Connection connection = DriverManager.getConnection(Orphans.url(project));
                Statement statement = connection.createStatement();
                ResultSet sum =
                        statement.executeQuery("SELECT (SELECT nanodollars FROM spending WHERE scope = 'total'),"
                                + " (SELECT sum(nanodollars) FROM messages),"
                                + " (SELECT coalesce(sum(nanodollars), 0) FROM open_requests)")) {
            assertThat(sum.next()).isTrue();
            if (sum.getLong(1) != sum.getLong(2) + sum.getLong(3)) {
                twice.add("spent " + sum.getLong(1) + ", paid " + sum.getLong(2) + ", open " + sum.getLong(3));
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    synchronized void assertClean(int atLeast) {
        System.out.printf(
                "%s: ends: %d (closes: %d, while people were asked: %d), lost: %d, double: %d, paid twice: %d, orphans: %d,"
                        + " seed %d%n",
                store, ends, closes, waiting, lost.size(), twice.size(), paidTwice.size(), orphans.size(), seed);
        assertThat(Stream.of(broken, lost, twice, paidTwice, orphans).flatMap(List::stream))
                .isEmpty();
        assertThat(ends).isGreaterThanOrEqualTo(atLeast);
    }
}
