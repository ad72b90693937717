package io.maestro.chaos;

import static io.maestro.chaos.RolePlay.call;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Limits;
import io.maestro.chaos.RolePlay.Call;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A specification whose six stories take every way there is: base, left, right and top are a diamond of dependencies; left
 * fails its tests first, right asks a question, top uses up its budget and is granted more; there is one story that is done
 * already, and one whose plan is rejected, and which is rewritten then. Beside it there are {@link #EXTRAS}. Each story counts the
 * text files, too: two that are merged one after the other give a wrong count without a conflict in any line, so whoever merges
 * what was not tested as it is breaks the tests of the target branch.
 */
final class SixStories {
    static final Spec SPEC = Spec.builder("six", "Six stories")
            .content("Build base, left, right and top; see that present is there; and build the odd one.")
            .build();

    /** Stories beside the specification, without a plan. */
    static final List<Story> EXTRAS = Stream.of("extra-1", "extra-2", "extra-3")
            .map(id -> Story.builder(id, id)
                    .content("Build " + id + ".txt")
                    .express()
                    .build())
            .toList();

    static final String TESTS = "sh check.sh";

    /** The top of the diamond reads more often than it may; crashes send coders back more often than usual. */
    static final Limits LIMITS =
            Limits.builder().turnsPerState(6).rounds(100).budgetReviews(100).build();

    private static final List<String> TITLES = List.of("base", "left", "right", "top", "present", "odd");

    private SixStories() {}

    /** Every text file must say that it is good, and their number must be right. */
    static TestRepository repository(Path directory) {
        return TestRepository.create(
                directory,
                Map.of(
                        "README.md",
                        "a project",
                        "present.txt",
                        "good",
                        "count",
                        "1\n",
                        "check.sh",
                        "! grep -L good *.txt | grep . && test \"$(cat count)\" = \"$(ls *.txt | wc -l)\""));
    }

    static MaestroBuilder maestro(Path directory, TestRepository repository) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder())
                .architectModel(architect())
                .maxCoders(3)
                .limits(LIMITS)
                .testCommand(TESTS)
                .tools(tools -> tools.discover(false));
    }

    static LlmClient coder() {
        return new RolePlay("coder", SixStories::coder);
    }

    static LlmClient architect() {
        return new RolePlay("architect", SixStories::architect);
    }

    private static String title(LlmRequest request) {
        String id = request.origin().storyId();
        if (!id.startsWith(SPEC.id())) {
            return id;
        }
        return TITLES.get(Integer.parseInt(id.substring(id.length() - 2)) - 1);
    }

    // ---- The coders

    private static List<Call> coder(LlmRequest request) {
        return request.origin().state().equals("PLANNING") ? planning(title(request)) : coding(title(request), request);
    }

    private static List<Call> planning(String title) {
        if (title.equals("present")) {
            return List.of(
                    call("read_file", "path", "present.txt"), call("story_complete", "reason", "present.txt is good"));
        }
        Call plan = call("submit_plan", "plan", "write " + title + ".txt");
        return title.equals("right")
                ? List.of(call("ask_question", "question", "What goes into right.txt?"), plan)
                : List.of(call("list_files"), plan);
    }

    private static List<Call> coding(String title, LlmRequest request) {
        List<Call> calls = new ArrayList<>();
        Call done = call("done", "summary", "wrote " + title + ".txt");
        // Each time that it does not go together with what others have merged.
        long again = RolePlay.said(request, "tests do not pass") + RolePlay.said(request, "your change conflicts");
        if (title.equals("left")) {
            calls.add(call("write_file", "path", "left.txt", "content", "bad"));
            calls.add(done);
            again--;
        }
        if (title.equals("top")) {
            for (int lines = 1; lines <= 7; lines++) {
                calls.add(call("read_file", "path", "README.md", "lines", lines));
            }
        }
        calls.add(call("write_file", "path", title + ".txt", "content", "good " + title));
        for (long times = 0; times <= Math.max(0, again); times++) {
            calls.add(call("shell", "cmd", "ls *.txt | wc -l > count"));
            calls.add(done);
        }
        return calls;
    }

    // ---- The architect

    private static List<Call> architect(LlmRequest request) {
        return switch (request.origin().state()) {
            case "SCOPING" -> List.of(call("read_file", "path", "README.md"), stories());
            case "EDITING" ->
                List.of(call(
                        "story_edit",
                        "description",
                        "Build odd.txt, now with a word that makes it acceptable",
                        "acceptance_criteria",
                        List.of("odd.txt is good")));
            default -> answering(request);
        };
    }

    /** Every request is answered once; what was answered before stays a part of the conversation. */
    private static List<Call> answering(LlmRequest request) {
        List<Call> calls = new ArrayList<>();
        for (String heading : RolePlay.headings(request)) {
            if (heading.startsWith("# A coder asks you")) {
                calls.add(call("submit_reply", "message", "good right"));
            } else if (heading.startsWith("# A plan to review")
                    && title(request).equals("odd")
                    && RolePlay.said(request, "a word that makes it acceptable") == 0) {
                calls.add(call("review_complete", "decision", "REJECTED", "feedback", "that is no story"));
            } else {
                calls.add(call("review_complete", "decision", "APPROVED", "feedback", "fine"));
            }
        }
        return calls;
    }

    private static Call stories() {
        return call(
                "submit_stories",
                "requirements",
                List.of(
                        story("base"),
                        story("left", "base"),
                        story("right", "base"),
                        story("top", "left", "right"),
                        story("present"),
                        story("odd")));
    }

    private static Map<String, Object> story(String title, String... dependencies) {
        return Map.of(
                "title",
                title,
                "description",
                "Build " + title + ".txt",
                "acceptance_criteria",
                List.of(title + ".txt is good"),
                "dependencies",
                List.of(dependencies));
    }
}
